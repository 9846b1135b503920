import { ContentKitIcon } from '@gitbook/api';
import { createComponent, createIntegration, ExposableError } from '@gitbook/runtime';

const PATH = /^\/tickets\/([0-9]+)\/?$/;
// In a real integration this comes from the tracker's API, with `fetch`.
const TICKETS: Record<string, { title: string; status: 'open' | 'done' }> = {
    1: { title: 'The search forgets what was typed', status: 'open' },
    2: { title: 'Pages load twice', status: 'done' },
};

type Props = { number?: string; url?: string };

const ticket = createComponent<Props>({
    componentId: 'ticket',
    // Comes when a link is pasted that the manifest's `urlUnfurl` matches; the `props` given back are stored in the page.
    action: async (element, action) => {
        if (action.action !== '@link.unfurl') {
            return undefined;
        }
        const match = PATH.exec(new URL(action.url).pathname);
        if (!match) {
            // The link then stays a plain link.
            throw new ExposableError('This is not the address of a ticket');
        }
        return { props: { number: match[1], url: action.url } };
    },
    render: async (element) => {
        const { number, url } = element.props;
        if (!number) {
            return (
                <block>
                    <hint>
                        <text>Paste the address of a ticket, such as https://tracker.example.com/tickets/1</text>
                    </hint>
                </block>
            );
        }
        const known = TICKETS[number];
        if (!known) {
            return (
                <block>
                    <hint>
                        <text>There is no ticket {number}</text>
                    </hint>
                </block>
            );
        }
        // The same answer for everybody, so the platform may keep it: seconds.
        element.setCache({ maxAge: 60 });
        return (
            <block>
                <card
                    title={known.title}
                    hint={`Ticket ${number}, ${known.status}`}
                    icon={known.status === 'done' ? ContentKitIcon.CheckCircle : ContentKitIcon.Warning}
                    onPress={url ? { action: '@ui.url.open', url } : undefined}
                />
            </block>
        );
    },
});

export default createIntegration({
    components: [ticket],
});

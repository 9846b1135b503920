import {
    createComponent,
    createIntegration,
    type FetchEventCallback,
    type FetchPublishScriptEventCallback,
} from '@gitbook/runtime';

import draw from './draw.raw.js';
import frame from './frame.raw.js';
import published from './published.raw.js';
import style from './frame.raw.css';

const EXAMPLE = 'Browser -> Server: request\nServer -> Database: query\nServer -> Browser: page';

type Props = { content?: string; direction?: string };
type State = { content: string; direction: string };

/** The element that `onContentChange` and `onValueChange` send: stores both values in the page. */
const STORE = {
    action: '@editor.node.updateProps',
    props: { content: { $state: 'content' }, direction: { $state: 'direction' } },
} as const;

const diagram = createComponent<Props, State, { action: 'example' }>({
    componentId: 'diagram',
    initialState: (props) => ({
        content: props.content ?? EXAMPLE,
        direction: props.direction ?? 'right',
    }),
    action: async (element, action) =>
        action.action === 'example' ? { state: { ...element.state, content: EXAMPLE } } : undefined,
    render: async (element, { environment }) => {
        // The addresses of the most specific installation, so that the frame is served for this tenant.
        const endpoint = (
            environment.spaceInstallation ??
            environment.siteInstallation ??
            environment.installation ??
            environment.integration
        ).urls.publicEndpoint;
        const drawing = (
            <webframe
                source={{ url: `${endpoint}/frame` }}
                aspectRatio={16 / 6}
                data={{
                    content: element.dynamicState('content'),
                    direction: element.dynamicState('direction'),
                    theme: element.context.theme,
                }}
            />
        );
        const editable = element.context.type === 'document' && element.context.editable;
        if (!editable) {
            return <block>{drawing}</block>;
        }
        return (
            <block>
                <input
                    label="Arrows, one on each line"
                    element={
                        <codeblock
                            state="content"
                            content={element.state.content}
                            syntax="text"
                            onContentChange={STORE}
                        />
                    }
                />
                {drawing}
                <hstack>
                    <input
                        label="Direction"
                        element={
                            <select
                                state="direction"
                                initialValue={element.state.direction}
                                onValueChange={STORE}
                                options={[
                                    { id: 'right', label: 'Left to right' },
                                    { id: 'down', label: 'Top to bottom' },
                                ]}
                            />
                        }
                    />
                    <button label="Example" onPress={{ action: 'example' }} />
                </hstack>
            </block>
        );
    },
});

const answer: FetchEventCallback = async (request) => {
    if (!new URL(request.url).pathname.endsWith('/frame')) {
        return new Response('There is nothing here.', { status: 404 });
    }
    const page = `<!doctype html><meta charset="utf-8"><title>Diagram</title><style>${style}</style>
<body><script>${draw}\n${frame}</script></body>`;
    return new Response(page, {
        headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'max-age=86400' },
    });
};

const publish: FetchPublishScriptEventCallback = async () =>
    new Response(`(() => {\n${draw}\n${published}\n})();\n`, {
        headers: { 'Content-Type': 'application/javascript', 'Cache-Control': 'max-age=604800' },
    });

export default createIntegration({
    components: [diagram],
    fetch: answer,
    fetch_published_script: publish,
});

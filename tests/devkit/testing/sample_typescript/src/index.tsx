import {
    createComponent,
    createContentSource,
    createIntegration,
    ExposableError,
    type RuntimeContext,
} from '@gitbook/runtime';

import { TITLE } from './title';

type State = { name: string; code: string; greeting: string; kinds: string[]; loud: boolean };
type FormAction = { action: string; code?: string; returnValue?: { answer?: string } };

const form = createComponent<{ of?: string }, State, any>({
    componentId: 'form',
    initialState: { name: '', code: '', greeting: '', kinds: [], loud: false },
    action: async (element, action: FormAction) => {
        switch (action.action) {
            case 'loudly':
                return { state: { ...element.state, greeting: element.state.loud ? 'LOUD' : 'quiet' } };
            case 'typed':
                return { state: { ...element.state, greeting: action.code ?? '' } };
            case 'forget':
                throw new ExposableError('Nothing to forget', 422);
            case 'crash':
                return { state: { ...element.state, greeting: (element.props as any).missing.length } };
            case '@ui.modal.close':
                return { state: { ...element.state, greeting: action.returnValue?.answer ?? 'nothing' } };
        }
        return undefined;
    },
    render: async (element) => (
        <block controls={[{ label: 'Forget', onPress: { action: 'forget' } }] as any}>
            <markdown content={element.dynamicState('name') as any} />
            <card
                title="Open"
                onPress={{ action: '@ui.modal.open', componentId: 'asks', props: { of: element.props.of ?? 'you' } }}
            />
            <input label="Name" element={<textinput state="name" />} />
            <input
                label="Color"
                element={
                    <select
                        state="color"
                        initialValue="red"
                        options={[
                            { id: 'red', label: 'Red' },
                            { id: 'blue', label: 'Blue' },
                        ]}
                    />
                }
            />
            <input label="Loud" element={<switch state="loud" onValueChange={{ action: 'loudly' }} />} />
            <input label="One" element={<checkbox state="kinds" value="one" />} />
            <input label="Two" element={<checkbox state="kinds" value="two" />} />
            <input
                label="Text"
                element={
                    <codeblock
                        state="code"
                        content={element.dynamicState('code') as any}
                        onContentChange={{ action: 'typed', code: element.dynamicState('code') } as any}
                    />
                }
            />
            <button
                label="Save"
                onPress={{ action: '@editor.node.updateProps', props: { name: element.dynamicState('name') } }}
            />
            <button label="Never" disabled onPress={{ action: 'never' } as any} />
            <link target={{ url: 'https://example.com/manual' }}>Manual</link>
            <hint>
                <text>{element.state.greeting}</text>
            </hint>
        </block>
    ),
});

const asks = createComponent<{ of: string }, { answer: string }, any>({
    componentId: 'asks',
    initialState: { answer: '' },
    action: async () => ({ type: 'complete', returnValue: { answer: 'ended' } }),
    render: async (element) =>
        (
            <modal
                returnValue={{ answer: 'dismissed' }}
                submit={
                    <button
                        label="OK"
                        onPress={{ action: '@ui.modal.close', returnValue: { answer: element.dynamicState('answer') } }}
                    />
                }
            >
                <text>{`Of ${element.props.of}`}</text>
                <input label="Answer" element={<textinput state="answer" />} />
            </modal>
        ) as any,
});

const steps = createComponent<{}, { step: string }, any>({
    componentId: 'steps',
    initialState: { step: 'first' },
    action: async (element, action) => ({ state: { step: action.step } }),
    render: async (element) =>
        (
            <configuration>
                <stepper
                    activeStep={element.state.step}
                    onStepChange={{ action: 'go' } as any}
                    onComplete={{ action: 'done' } as any}
                >
                    <step id="first" title="First">
                        <text>The first</text>
                    </step>
                    <step id="second" title="Second">
                        <text>The second</text>
                    </step>
                </stepper>
            </configuration>
        ) as any,
});

const wrong = createComponent({
    componentId: 'wrong',
    render: async () => ({ type: 'block', children: [{ type: 'buton' }] }) as any,
});

const pages = createContentSource<{ title: string }>({
    sourceId: 'pages',
    getRevision: async ({ props }) => ({ pages: [{ type: 'document', id: 'a', title: props.title }] }) as any,
    getPageDocument: async () => {
        throw new ExposableError('Gone', 404);
    },
});

let seen = 0;

async function answer(request: Request, context: RuntimeContext): Promise<Response> {
    const { installation, spaceInstallation } = context.environment;
    const path = new URL(request.url).pathname;
    if (path.endsWith('/who')) {
        const configuration = { ...installation?.configuration, ...spaceInstallation?.configuration };
        return Response.json({ installed: installation !== undefined, configuration });
    }
    if (path.endsWith('/echo')) {
        return new Response(await request.arrayBuffer(), { headers: request.headers });
    }
    if (path.endsWith('/save') && installation) {
        const name = context.environment.integration.name;
        const configuration = { ...installation.configuration, ...((await request.json()) as object) };
        await context.api.integrations.updateIntegrationInstallation(name, installation.id, { configuration });
        return Response.redirect(`${installation.urls.publicEndpoint}/who`);
    }
    return Response.json({ error: 'There is nothing here' }, { status: 404 });
}

export default createIntegration<RuntimeContext<any, { left: number }>>({
    components: [form, asks, steps, wrong],
    contentSources: [pages],
    fetch: answer,
    fetch_published_script: async (event, { environment }) =>
        new Response(`// ${environment.siteInstallation?.configuration.text} ${environment.secrets.KEY}`, {
            headers: { 'content-type': 'application/javascript' },
        }),
    fetch_visitor_authentication: async (event) => Response.redirect(`https://login.example.com/${event.location}`),
    events: {
        space_content_updated: async (event, { api }) => {
            seen += 1;
            const { data } = await api.spaces.getSpaceById(event.spaceId);
            console.warn(`${TITLE} ${seen}: ${data.title}`);
        },
        site_view: async () => {
            const of = { method: 'POST', body: JSON.stringify({ page: 'p' }) };
            const response = await fetch('https://hooks.example.com/x?of=view', of).catch(() => undefined);
            console.log(response ? `${response.status} ${await response.text()}` : 'nobody there');
        },
    },
    task: async (task, context) => {
        console.log(`task ${task.left}`);
        if (task.left > 0) {
            await context.integration.queueTask({ task: { left: task.left - 1 }, schedule: 60 });
        }
    },
});

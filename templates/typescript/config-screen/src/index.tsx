import { createComponent, createIntegration, ExposableError, type RuntimeContext, type RuntimeEnvironment } from '@gitbook/runtime';

type Configuration = { project?: string; address?: string; digest?: boolean };
type Context = RuntimeContext<RuntimeEnvironment<Configuration>>;
type Props = { installation?: { configuration?: Configuration } };
type State = { project: string; address: string; digest: boolean };
type Save = { action: 'save' } & Configuration;

// In a real integration these come from the service it connects to.
const PROJECTS: Record<string, string> = { atlas: 'Atlas', borealis: 'Borealis', cascade: 'Cascade' };

const settings = createComponent<Props, State, Save, Context>({
    componentId: 'settings',
    // Begins with what was saved last time; the platform hands it over as a property of the screen.
    initialState: ({ installation }) => ({
        project: installation?.configuration?.project ?? '',
        address: installation?.configuration?.address ?? '',
        digest: installation?.configuration?.digest ?? true,
    }),
    action: async (element, action, context) => {
        if (action.action !== 'save') {
            return undefined;
        }
        const { project = '', address = '', digest = true } = action;
        // An ExposableError is for the person at the screen: it is shown, and what they typed stays.
        if (!Object.hasOwn(PROJECTS, project)) {
            throw new ExposableError('Choose a project first');
        }
        if (!address.includes('@')) {
            throw new ExposableError('Type the e-mail address that gets the reports');
        }
        const { installation, integration } = context.environment;
        if (!installation) {
            throw new ExposableError('Install the integration first');
        }
        // The configuration is replaced as a whole, so what else is in it must be sent again.
        await context.integration.api.integrations.updateIntegrationInstallation(integration.name, installation.id, {
            configuration: { ...installation.configuration, project, address, digest },
        });
        console.log(`set up for ${project}`);
        return { type: 'complete' };
    },
    render: async (element, context) => {
        const here = new URL(context.environment.integration.urls.publicEndpoint);
        const save = {
            action: 'save',
            project: element.dynamicState('project'),
            address: element.dynamicState('address'),
            digest: element.dynamicState('digest'),
        };
        return (
            <configuration>
                <input
                    label="Project"
                    element={
                        // The list is fetched when the select is opened, from `projects`, with what was typed as `q`.
                        <select
                            state="project"
                            initialValue={element.state.project}
                            placeholder="Choose one"
                            options={{ url: { host: here.host, pathname: `${here.pathname}/projects` } }}
                        />
                    }
                />
                <input
                    label="Send reports to"
                    hint="An e-mail address."
                    element={<textinput state="address" inputType="email" initialValue={element.state.address} />}
                />
                <input
                    label="Weekly digest"
                    element={<switch state="digest" initialValue={element.state.digest} />}
                />
                <divider />
                <button label="Save" style="primary" onPress={save} />
            </configuration>
        );
    },
});

function projects(request: Request): Response {
    const typed = new URL(request.url).searchParams.get('q')?.toLowerCase() ?? '';
    const found = Object.entries(PROJECTS).filter(([, title]) => title.toLowerCase().includes(typed));
    return Response.json({ items: found.map(([id, label]) => ({ id, label })) });
}

export default createIntegration<Context>({
    components: [settings],
    fetch: async (request) => {
        if (new URL(request.url).pathname.endsWith('/projects')) {
            return projects(request);
        }
        return new Response('There is nothing here', { status: 404 });
    },
});

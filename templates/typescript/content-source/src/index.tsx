import {
    createComponent,
    createContentSource,
    createIntegration,
    ExposableError,
    type ConfigureContentSourceProps,
    type ContentSourceInput,
} from '@gitbook/runtime';

type Setup = { title: string };
type SetupProps = Partial<ConfigureContentSourceProps<ContentSourceInput<Partial<Setup>>>>;

const DEFAULT_TITLE = 'Glossary';
// In a real integration this comes from the service where the data lives, with `fetch`.
const TERMS: Record<string, { name: string; meaning: string; related: string[] }> = {
    block: { name: 'Block', meaning: 'A part of a page that an integration draws.', related: ['space'] },
    event: {
        name: 'Event',
        meaning: 'Something that happened, and that integrations are notified of.',
        related: ['space'],
    },
    space: { name: 'Space', meaning: 'A tree of pages that people write together.', related: ['block'] },
};

const glossary = createContentSource<Partial<Setup>, { term?: string }>({
    sourceId: 'glossary',
    // Lists the pages. Each names the source and the properties with which its document is computed later, when it is read.
    getRevision: async ({ props }, { environment }) => {
        const type = `integration:${environment.integration.name}:glossary` as const;
        const pages = Object.entries(TERMS).map(([term, { name }]) => ({
            type: 'document' as const,
            id: term,
            title: name,
            computed: { type, props: { term } },
        }));
        return { pages: [{ type: 'group', id: 'glossary', title: props.title ?? DEFAULT_TITLE, pages }] };
    },
    // Writes one page, as Markdown.
    getPageDocument: async ({ props }) => {
        const term = Object.hasOwn(TERMS, props.term ?? '') ? TERMS[props.term ?? ''] : undefined;
        if (!term) {
            throw new ExposableError('There is no such term any more', 404);
        }
        const others = term.related.map((other) => `- **${TERMS[other].name}**: ${TERMS[other].meaning}`);
        return { markdown: `${term.meaning}\n\n## See also\n\n${others.join('\n')}\n` };
    },
});

// Asks the person who adds the source; what the screen returns becomes the properties of `getRevision`.
const setup = createComponent<SetupProps, Setup, { action: 'add'; title?: string }>({
    componentId: 'setup',
    initialState: ({ contentSource }) => ({ title: contentSource?.props.title ?? DEFAULT_TITLE }),
    action: async (element, action) => {
        if (action.action !== 'add') {
            return undefined;
        }
        const title = action.title?.trim();
        if (!title) {
            throw new ExposableError('Give the group a title');
        }
        return { type: 'complete', returnValue: { props: { title }, dependencies: {} } };
    },
    render: async (element) => (
        <configuration>
            <input
                label="Title of the group"
                element={<textinput state="title" initialValue={element.state.title} />}
            />
            <button
                label={element.props.submitLabel ?? 'Add'}
                style="primary"
                onPress={{ action: 'add', title: element.dynamicState('title') }}
            />
        </configuration>
    ),
});

export default createIntegration({
    components: [setup],
    contentSources: [glossary],
});

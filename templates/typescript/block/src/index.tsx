import { createComponent, createIntegration } from '@gitbook/runtime';

// Properties are stored in the page, and the same for everybody; the state belongs to one reader.
type Props = { question?: string; answer?: string };
type State = { question: string; answer: string; open: boolean };

const question = createComponent<Props, State, { action: 'toggle' }>({
    // The id is the one in the manifest.
    componentId: 'question',
    initialState: (props) => ({
        question: props.question ?? 'What is 6 × 7?',
        answer: props.answer ?? '42',
        open: false,
    }),
    action: async (element, action) =>
        action.action === 'toggle'
            ? { state: { ...element.state, open: !element.state.open } }
            : undefined,
    render: async (element) => {
        const { state, context } = element;
        // Whoever writes the page sees the fields above what readers see.
        const editable = context.type === 'document' && context.editable;
        // `dynamicState` is read where the page is shown, when the button is pressed: typing needs no round trip.
        const save = {
            action: '@editor.node.updateProps',
            props: {
                question: element.dynamicState('question'),
                answer: element.dynamicState('answer'),
            },
        } as const;
        return (
            <block>
                {editable ? (
                    <vstack>
                        <input label="Question" element={<textinput state="question" />} />
                        <input
                            label="Answer"
                            hint="Markdown works here."
                            element={<textinput state="answer" multiline />}
                        />
                        <button label="Save" style="primary" onPress={save} />
                        <divider />
                    </vstack>
                ) : null}
                <text style="bold">{state.question}</text>
                {state.open ? <markdown content={state.answer} /> : null}
                <button
                    label={state.open ? 'Hide' : 'Show the answer'}
                    onPress={{ action: 'toggle' }}
                />
            </block>
        );
    },
});

export default createIntegration({
    components: [question],
});

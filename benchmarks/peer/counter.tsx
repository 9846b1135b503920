import { createComponent, createIntegration } from "@gitbook/runtime";

const counter = createComponent<{}, { count: number }, { action: "increment" }>({
  componentId: "counter",
  initialState: { count: 0 },
  async action(element, action) {
    return action.action === "increment" ? { state: { count: element.state.count + 1 } } : undefined;
  },
  async render(element) {
    return (
      <block>
        <text>{`Clicked ${element.state.count} times`}</text>
        <button label="Click me" onPress={{ action: "increment" }} />
      </block>
    );
  },
});

export default createIntegration({ components: [counter] });

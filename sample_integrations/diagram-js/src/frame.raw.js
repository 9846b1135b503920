// Runs in the block's frame: draws what the page sends, and reports to the page how much room that takes.
const send = (action) => parent.postMessage({ action }, '*');

addEventListener('message', (event) => {
    const state = event.source === parent && event.data?.state;
    if (!state) return;
    document.documentElement.dataset.theme = state.theme ?? 'light';
    const drawing = drawDiagram(String(state.content ?? ''), state.direction);
    document.body.replaceChildren(drawing);
    const [, , width, height] = drawing.getAttribute('viewBox').split(' ').map(Number);
    send({ action: '@webframe.resize', size: { aspectRatio: width / height } });
});
send({ action: '@webframe.ready' });

// Runs in browsers: turns lines such as "A -> B: label" into a drawing.
const BOX = { width: 120, height: 40, gap: 90 };

function readDiagram(content) {
    const names = [];
    const arrows = [];
    const number = (name) => {
        if (!names.includes(name)) names.push(name);
        return names.indexOf(name);
    };
    for (const line of content.split('\n')) {
        const found = /^\s*([^:>]+?)\s*-+>\s*([^:>]+?)\s*(?::\s*(.*?))?\s*$/.exec(line);
        if (found) arrows.push({ from: number(found[1]), to: number(found[2]), label: found[3] ?? '' });
        else if (line.trim()) number(line.trim());
    }
    return { names, arrows };
}

function shape(name, attributes, text) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
}

function drawDiagram(content, direction) {
    const { names, arrows } = readDiagram(content);
    const down = direction === 'down';
    const step = down ? BOX.height + BOX.gap : BOX.width + BOX.gap;
    const side = 30 + 9 * arrows.length;
    const length = Math.max(1, names.length) * step - BOX.gap + 20;
    const across = (down ? BOX.width : BOX.height) + 2 * side;
    const [width, height] = down ? [across, length] : [length, across];
    const drawing = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'diagram' });
    const middle = (box) => 10 + box * step + (down ? BOX.height : BOX.width) / 2;
    const at = (along, over) => (down ? [over, along] : [along, over]);
    arrows.forEach((arrow, index) => {
        // Forward arrows bow to one side, backward arrows to the other, each further out than the one before.
        const sign = arrow.from <= arrow.to ? -1 : 1;
        const edge = across / 2 + (sign * (down ? BOX.width : BOX.height)) / 2;
        const bow = edge + sign * (16 + 9 * index);
        const shift = arrow.from === arrow.to ? 20 : 0;
        const [x1, y1] = at(middle(arrow.from) - shift, edge);
        const [x2, y2] = at(middle(arrow.to) + shift, edge);
        const [cx, cy] = at((middle(arrow.from) + middle(arrow.to)) / 2, bow + sign * 20);
        drawing.append(shape('path', { class: 'arrow', d: `M${x1} ${y1} Q${cx} ${cy} ${x2} ${y2}` }));
        const [hx, hy] = at(0, sign * 8);
        drawing.append(shape('path', { class: 'head', d: `M${x2} ${y2} l${hx - 4} ${hy || -4} l${hx ? 0 : 8} ${hx ? 8 : 0} z` }));
        const [lx, ly] = at((middle(arrow.from) + middle(arrow.to)) / 2, (edge + bow) / 2 + sign * 8);
        drawing.append(shape('text', { class: 'label', x: lx, y: ly }, arrow.label));
    });
    names.forEach((name, index) => {
        const [x, y] = at(middle(index), across / 2);
        const place = { x: x - BOX.width / 2, y: y - BOX.height / 2, rx: 6, ...BOX };
        delete place.gap;
        drawing.append(shape('rect', place), shape('text', { class: 'name', x, y: y + 5 }, name));
    });
    drawing.setAttribute('data-boxes', names.length);
    drawing.setAttribute('data-arrows', arrows.length);
    return drawing;
}

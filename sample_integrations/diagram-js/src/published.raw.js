// Runs on published sites: draws code blocks with the language "diagram", now and when the reader turns the page.
const mend = () => {
    for (const code of document.querySelectorAll('pre > code.language-diagram')) {
        const drawing = drawDiagram(code.textContent, 'right');
        drawing.style.cssText = 'max-width: 100%; font: 14px sans-serif; text-anchor: middle';
        for (const part of drawing.querySelectorAll('rect, .arrow')) part.style.cssText = 'fill: none; stroke: currentColor';
        for (const part of drawing.querySelectorAll('text, .head')) part.style.fill = 'currentColor';
        code.parentElement.replaceWith(drawing);
    }
};
mend();
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });

// Files that are bundled as text, to be sent to a browser.
declare module '*.raw.js' {
    const text: string;
    export default text;
}

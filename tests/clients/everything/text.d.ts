declare module '*.raw.js' {
    const text: string;
    export default text;
}

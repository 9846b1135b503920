export const TITLE = 'Title';

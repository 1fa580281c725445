// How words may be set off. Which colour that is, and whether there is any, is for the screen to know.

/** What a word tells: it went well, it needs an eye, it went wrong, or it matters less. */
export type Style = "good" | "warning" | "bad" | "dim";

/** Gives the text back as the screen shows that style. */
export type Paint = (style: Style, text: string) => string;

export const unpainted: Paint = (_style, text) => text;

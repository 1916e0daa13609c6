// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/
// oxlint-disable-next-line no-control-regex -- the same, but for tab, line feed and carriage return
const CONTROL_BUT_LINE_BREAKS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

/** Can be stored and shown: PostgreSQL takes no NUL, and broken surrogates would all become the same text. */
export const isPlainText = (text: string, { lineBreaks = false } = {}): boolean =>
  text.isWellFormed() && !(lineBreaks ? CONTROL_BUT_LINE_BREAKS : CONTROL_CHARACTERS).test(text)

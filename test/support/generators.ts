/**
 * Generators over a whole space have a short form in every run, and the long one in `npm test -- generators`: what a change breaks
 * shows in a part of the cases too, and machines that check changes have little time.
 */
export const IS_LONG = process.env['GENERATORS'] === 'long'

/** As many cases as the long form has; in the short one as many as are said, or a fifth of them. */
export const cases = (long: number, short = Math.ceil(long / 5)): number => (IS_LONG ? long : short)

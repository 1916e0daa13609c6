/**
 * Generators over a whole space have a short form in every run, and the long one in `npm test -- generators`: what a change breaks
 * shows in a part of the cases too, and machines that check changes have little time.
 */
export const IS_LONG = process.env['GENERATORS'] === 'long'

/** As many cases as the long form has, or a fifth of them. */
export const cases = (long: number): number => (IS_LONG ? long : Math.ceil(long / 5))

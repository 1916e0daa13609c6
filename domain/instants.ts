/** Instants as UTC text with milliseconds, which sorts as they follow each other. Without zones: workflows read it, too. */

export const instantAfter = (instant: string, milliseconds: number): string =>
  new Date(Date.parse(instant) + milliseconds).toISOString()

export const earlier = (one: string | null, other: string): string =>
  one !== null && one < other ? one : other

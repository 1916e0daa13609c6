/** Sortable UTC text with milliseconds, without zones because workflows use it. */

export const instantAfter = (instant: string, milliseconds: number): string =>
  new Date(Date.parse(instant) + milliseconds).toISOString()

export const earlier = (one: string | null, other: string): string =>
  one !== null && one < other ? one : other

/** Ignores a sender's instants in quotation marks. */
const ISO_INSTANT =
  /(?<!["'“‘])\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})/g

export const withInstants = (text: string, inWords: (instant: Date) => string): string =>
  text.replace(ISO_INSTANT, (found) => {
    const instant = new Date(found)
    return Number.isNaN(instant.getTime()) ? found : inWords(instant)
  })

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

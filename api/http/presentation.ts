/** A decimal as a JSON number; null where there is none. Exact decimals end at the edge of the system. */
export function numberOut(value: string): number
export function numberOut(value: string | null | undefined): number | null
export function numberOut(value: string | null | undefined): number | null {
  return value == null ? null : Number(value)
}

/** An instant as ISO 8601 in UTC with milliseconds; null where there is none. */
export function instantOut(value: Date): string
export function instantOut(value: Date | null | undefined): string | null
export function instantOut(value: Date | null | undefined): string | null {
  return value?.toISOString() ?? null
}

/** An instant that the database wrote as text, as {@link instantOut} shows it. */
export const instantTextOut = (text: string | null): string | null =>
  text === null ? null : instantOut(new Date(text))

import type { Decimal } from '#domain/decimal.ts'

/** A decimal as a JSON number; null where there is none. Exact decimals end at the edge of the system. */
export function toJsonNumber(value: Decimal): number
export function toJsonNumber(value: Decimal | null | undefined): number | null
export function toJsonNumber(value: Decimal | null | undefined): number | null {
  return value == null ? null : Number(value)
}

/** An instant as ISO 8601 in UTC with milliseconds; null where there is none. */
export function toIsoInstant(value: Date): string
export function toIsoInstant(value: Date | null | undefined): string | null
export function toIsoInstant(value: Date | null | undefined): string | null {
  return value?.toISOString() ?? null
}

/** An instant that the database wrote as text, as {@link toIsoInstant} shows it. */
export const isoInstantOfText = (text: string | null): string | null =>
  text === null ? null : toIsoInstant(new Date(text))

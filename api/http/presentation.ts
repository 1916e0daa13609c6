import type { Decimal } from '#domain/decimal.ts'

/** Exact decimals end here, at the edge of the system. */
export function toJsonNumber(value: Decimal): number
export function toJsonNumber(value: Decimal | null | undefined): number | null
export function toJsonNumber(value: Decimal | null | undefined): number | null {
  return value == null ? null : Number(value)
}

/** ISO 8601 in UTC with milliseconds. */
export function toIsoInstant(value: Date): string
export function toIsoInstant(value: Date | null | undefined): string | null
export function toIsoInstant(value: Date | null | undefined): string | null {
  return value?.toISOString() ?? null
}

/** For an instant that the database wrote as text. */
export const isoInstantOfText = (text: string | null): string | null =>
  text === null ? null : toIsoInstant(new Date(text))

import type { Decimal } from '#domain/decimal.ts'

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

export const isoInstantOfText = (text: string | null): string | null =>
  text === null ? null : toIsoInstant(new Date(text))

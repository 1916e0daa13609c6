import { z } from 'zod'

export const presentCursor = (at: Date): string => Buffer.from(`c1.${at.getTime()}`).toString('base64url')

/** Fourteen digits are the year 5138, which can still be stored. */
const cursorFrom = () =>
  z
    .string({ error: 'must be a cursor from an earlier answer' })
    .max(64, 'must be a cursor from an earlier answer')
    .transform((text) => /^c1\.(\d{1,14})$/.exec(Buffer.from(text, 'base64url').toString())?.[1])
    .refine((digits) => digits !== undefined, 'must be a cursor from an earlier answer')
    .transform((digits) => new Date(Number(digits)))

export const changesQuery = z.strictObject({ since: cursorFrom() })

import { HALT_LEVELS, type HaltLevel } from '#domain/halt.ts'
import { z } from 'zod'
import { lineOfText, oneOf, wholeNumber } from '../http/validation/values.ts'

export const haltRequest = {
  level: oneOf(HALT_LEVELS),
  reason: lineOfText(200).nullable().default(null).describe('May be given later, with the same level'),
}

export interface HaltRequest {
  level: HaltLevel
  reason: string | null
}

export const haltListQuery = z.strictObject({ limit: wholeNumber(1, 500).default(50) })

import { MOST_MINUTES, type FlatByClose } from '#domain/exit/flat-by-close.ts'
import { z } from 'zod'
import { trueOrFalse, wholeNumber } from './values.ts'

const minutes = () => wholeNumber(1, MOST_MINUTES).describe('Before the close, by the calendar of the broker')
const RULE =
  'From this number of minutes before the close on, the account holds nothing: entries that work are cancelled, positions closed at market, and nothing is opened until the session has ended (`FLAT_BY_CLOSE`); null for no such rule'

export const flatOfAccount = () =>
  z
    .strictObject({
      minutes: minutes(),
      includeManual: trueOrFalse()
        .describe('What was bought by hand, and by others at the broker, is closed too')
        .default(false),
    })
    .nullable()
    .describe(RULE)

export const flatOfSignals = () =>
  z
    .strictObject({
      minutes: minutes(),
      includeManual: z
        .literal(false, { error: 'must be false: only accounts close what was bought by hand' })
        .default(false),
    })
    .transform((value): FlatByClose => value)
    .nullable()
    .describe(RULE)

export const flatByCloseAnswer = z
  .strictObject({
    minutes: z.int(),
    includeManual: z.boolean().describe('What was bought by hand is closed too; of accounts alone'),
  })
  .nullable()

import { z } from 'zod'
import { lineOfText, uuid, wholeNumber } from '../values/values.ts'

const accountId = uuid().optional()

export const assetQuery = z.strictObject({ accountId })

const LONGEST_SEARCH = 60
const MOST_FOUND = 20

export const assetSearchQuery = z.strictObject({
  search: lineOfText(LONGEST_SEARCH)
    .transform((text) => text.trim())
    .describe('The beginning of a symbol, or words of a name or their beginnings'),
  accountId: accountId.describe('Whose broker is asked; without it the first one that offers a look-up'),
  limit: wholeNumber(1, MOST_FOUND).default(MOST_FOUND),
})

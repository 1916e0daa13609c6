import { z } from 'zod'

/** When before the close nothing is held any more; null for no such rule. */
export const flatByCloseAnswer = z
  .strictObject({
    minutes: z.int(),
    includeManual: z.boolean().describe('What was bought by hand is closed too; of accounts alone'),
  })
  .nullable()

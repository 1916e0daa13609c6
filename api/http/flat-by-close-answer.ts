import { z } from 'zod'

export const flatByCloseAnswer = z
  .strictObject({
    minutes: z.int(),
    includeManual: z.boolean().describe('What was bought by hand is closed too; of accounts alone'),
  })
  .nullable()

import { z } from 'zod'

export const restrictionsAnswer = z
  .array(z.string())
  .describe(
    'What the broker said at the last sync that the account may not do, a sentence each, such as that trading is blocked; empty where it may do all',
  )

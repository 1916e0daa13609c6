import { z } from 'zod'
import { accountAnswer } from '../accounts/answers.ts'
import { orderAnswer } from '../orders/answers.ts'
import { positionAnswer } from '../positions/answers.ts'
import { signalAnswer } from '../signals/answers.ts'

export const desktopStateAnswer = z.strictObject({
  accounts: z.array(accountAnswer),
  positions: z
    .array(positionAnswer)
    .describe('All positions of these accounts: one that is missing was closed'),
  orders: z.array(orderAnswer),
  signals: z.array(signalAnswer),
  cursor: z.string().describe('From where to ask for the next changes'),
  hasMore: z.boolean().describe('More has changed already: ask again at once'),
})

export type DesktopStateAnswer = z.output<typeof desktopStateAnswer>

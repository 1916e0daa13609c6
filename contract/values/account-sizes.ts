import type { AccountSize } from '#domain/account/size.ts'
import { z } from 'zod'
import { positiveDecimal, quantity, uuid } from './values.ts'

const MOST_ACCOUNTS = 50
const MOST_TIMES = '1000'

interface SizedAccount extends AccountSize {
  accountId: string
}

/** A request's form: an id alone has no size. */
interface WrittenAccount {
  accountId: string
  multiplier?: number | string | null
  quantity?: number | string | null
}

const sizedAccount = () =>
  z
    .preprocess(
      (value: string | WrittenAccount) => (typeof value === 'string' ? { accountId: value } : value),
      z
        .strictObject(
          {
            accountId: uuid(),
            multiplier: positiveDecimal(MOST_TIMES).nullable().default(null),
            quantity: quantity().nullable().default(null),
          },
          {
            error: (issue) =>
              issue.code === 'unrecognized_keys'
                ? undefined
                : 'must be the id of an account, or an object with accountId and multiplier or quantity',
          },
        )
        .refine(
          (account) => account.multiplier === null || account.quantity === null,
          'must have multiplier or quantity, not both',
        ),
    )
    .meta({
      type: undefined,
      properties: undefined,
      required: undefined,
      additionalProperties: undefined,
      anyOf: [
        { type: 'string', format: 'uuid' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['accountId'],
          properties: {
            accountId: { type: 'string', format: 'uuid' },
            multiplier: {
              type: ['number', 'string', 'null'],
              description: 'Times the quantity of a message',
            },
            quantity: {
              type: ['number', 'string', 'null'],
              description: 'In the place of the quantity of a message, in its quantityType',
            },
          },
        },
      ],
    })

export const sizedAccounts = (least: 1 | 2) =>
  z
    .array(sizedAccount(), { error: 'must be a list of accounts' })
    .min(least, `must name at least ${least === 1 ? 'one account' : 'two accounts'}`)
    .max(MOST_ACCOUNTS, `must name at most ${MOST_ACCOUNTS} accounts`)
    .superRefine((accounts: SizedAccount[], context) => {
      const seen = new Set<string>()
      for (const [index, { accountId }] of accounts.entries()) {
        if (seen.has(accountId))
          context.addIssue({
            code: 'custom',
            path: [index],
            message: 'must be another account than those before',
          })
        seen.add(accountId)
      }
    })

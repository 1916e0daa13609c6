import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import type { Signal } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import type { Edit } from './decisions.ts'
import type { Check } from './refusal.ts'

/**
 * Asked again so often while a card is open. A check asks the broker five things, of which it answers a limited number; the
 * price in between comes from the quotes of the queue, one question for all.
 */
const CHECK_EVERY_MS = 15_000

const keyOf = (signal: Pick<Signal, 'id'>, { quantity = '', limitPrice = '' }: Edit) => [
  'check',
  signal.id,
  quantity,
  limitPrice,
]

/** The last check of a signal as it was sent, where there was one; nothing is asked. */
export const useKnownCheck = (signal: Pick<Signal, 'id'>): Check | undefined =>
  useQuery<Check>({ queryKey: keyOf(signal, {}), queryFn: skipToken }).data

/**
 * Asks the service what approving this signal with these edits would do now. Nothing is stored or sent. While an edit is
 * being checked, the figures before it stay.
 */
export const useCheck = (signal: Signal, edit: Edit, isWanted: boolean) =>
  useQuery({
    queryKey: keyOf(signal, edit),
    queryFn: async () => {
      const query = {
        ...(edit.quantity !== undefined && { quantity: Number(edit.quantity) }),
        ...(edit.limitPrice !== undefined && { limitPrice: Number(edit.limitPrice) }),
      }
      const { body } = await ask('GET /api/v1/signals/{id}/check', { path: { id: signal.id }, query })
      return body.data
    },
    enabled: isWanted,
    placeholderData: keepPreviousData,
    refetchInterval: CHECK_EVERY_MS,
    retry: false,
  })

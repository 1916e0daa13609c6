import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Quote, Signal } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { onNews, type News } from '../connection/live.ts'
import { paced } from '../connection/paced.ts'
import { queries } from '../connection/queries.ts'
import type { Edit } from './decisions.ts'
import type { Check } from './refusal.ts'

/** Least milliseconds between two checks of the same card. */
const CHECK_PAUSE_MS = 10_000
/** Milliseconds until a check is repeated, because no event reports buying power and the like. */
const CHECK_EVERY_MS = 60_000
/** Percent of the price's move after which a check is old. */
const MOVE = 0.2
/** Stream events that may change a check. */
const CHANGES: ReadonlySet<string> = new Set(['halt', 'order', 'signal', 'user'])

const checkOf = ({ id }: Pick<Signal, 'id'>, { quantity, limitPrice }: Edit) =>
  queryOptions({
    queryKey: ['check', id, quantity ?? '', limitPrice ?? ''],
    queryFn: async (): Promise<Check> => {
      const query = {
        ...(quantity !== undefined && { quantity: Number(quantity) }),
        ...(limitPrice !== undefined && { limitPrice: Number(limitPrice) }),
      }
      return (await ask('GET /api/v1/signals/{id}/check', { path: { id }, query })).body.data
    },
  })

/** Dollars of a signal's orders by its last check; null without a check or a cost. */
export function checkedCost(id: string): number | null {
  const check = queries.getQueryData(checkOf({ id }, {}).queryKey)
  return check?.cost == null ? null : check.cost + (check.followingCost ?? 0)
}

/** The last check of a signal without edits; sends no request. */
export const useKnownCheck = (signal: Pick<Signal, 'id'>): Check | undefined =>
  useQuery({ ...checkOf(signal, {}), enabled: false }).data

/**
 * Effect of approving this signal with these edits, checked again when a condition changes. Nothing is stored or sent.
 * The previous figures remain during a check.
 *
 * @param quote the current price
 */
export function useCheck(signal: Signal, edit: Edit, isWanted: boolean, quote: Quote | undefined) {
  const check = useQuery({
    ...checkOf(signal, edit),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    refetchInterval: CHECK_EVERY_MS,
    retry: false,
  })
  const { refetch } = check
  const again = useRef<() => void>(undefined)
  useEffect(() => {
    if (!isWanted) return undefined
    const checks = paced(() => refetch({ cancelRefetch: false }), CHECK_PAUSE_MS)
    again.current = checks.ask
    const stop = onNews((news) => {
      if (isChange(news, signal)) checks.ask()
    })
    return () => {
      again.current = undefined
      checks.stop()
      stop()
    }
  }, [isWanted, refetch, signal])
  const now = quote?.last ?? null
  const checked = check.data?.quote?.last ?? null
  useEffect(() => {
    if (isFar(now, checked)) again.current?.()
  }, [now, checked])
  return check
}

const isFar = (now: number | null, checked: number | null): boolean =>
  now !== null && checked !== null && Math.abs(now / checked - 1) * 100 >= MOVE

/** Whether an event concerns the account of the signal, or all accounts. */
function isChange({ name, data }: News, { accountId }: Signal): boolean {
  const told = data as { accountId?: string | null }
  return CHANGES.has(name) && (told.accountId == null || told.accountId === accountId)
}

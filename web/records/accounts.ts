import { useQuery } from '@tanstack/react-query'
import type { Account } from '#client/types.ts'
import { ask } from '../connection/ask.ts'

/** Connected accounts, the primary one first. */
export const useAccountList = () =>
  useQuery({
    queryKey: ['accounts'],
    queryFn: async () => (await ask('GET /api/v1/accounts')).body.accounts,
  })

export function useAccounts(): ReadonlyMap<string, Account> {
  const { data } = useAccountList()
  return new Map((data ?? []).map((account) => [account.id, account]))
}

export function useBrokers() {
  return useQuery({
    queryKey: ['brokers', 'health'],
    queryFn: async () => (await ask('GET /api/v1/brokers', { query: { limit: 100 } })).body.data.brokers,
  })
}

/** Strategies of the person that are in use. */
export const useStrategies = () =>
  useQuery({
    queryKey: ['strategies'],
    queryFn: async () =>
      (await ask('GET /api/v1/strategies', { query: { limit: 500 } })).body.data.strategies,
  })

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Routes } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import type { AuditSearch } from './search.ts'
import { MOST_ROWS } from '../connection/every-page.ts'

export type AdministeredUser = Routes['GET /api/v1/admin/users/{userId}']['answers'][200]['data']['user']
export type WholeAuditEvent = Routes['GET /api/v1/admin/audit-log']['answers'][200]['data']['events'][number]

/**
 * Read only when a page opens or a person asks: these routes may ask for a fresh proof, which must not come unprompted.
 */
const BY_HAND = { staleTime: 'static', gcTime: 0, retry: false } as const

export const useUsers = (page: number) =>
  useQuery({
    ...BY_HAND,
    queryKey: ['administration', 'users', page],
    queryFn: () =>
      dataOf('GET /api/v1/admin/users', { query: { limit: PAGE_ROWS, offset: (page - 1) * PAGE_ROWS } }),
    placeholderData: keepPreviousData,
  })

export function useUserNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    ...BY_HAND,
    queryKey: ['administration', 'names'],
    queryFn: async () => (await dataOf('GET /api/v1/admin/users', { query: { limit: MOST_ROWS } })).users,
  })
  return new Map((data ?? []).map(({ id, email }) => [id, email]))
}

export const userKey = (userId: string) => ['administration', 'user', userId] as const

export const useUser = (userId: string) =>
  useQuery({
    ...BY_HAND,
    queryKey: userKey(userId),
    queryFn: async () => (await dataOf('GET /api/v1/admin/users/{userId}', { path: { userId } })).user,
  })

/** The halt that an administrator has set for a user; null without one. */
export const useHaltOf = (userId: string) =>
  useQuery({
    ...BY_HAND,
    queryKey: [...userKey(userId), 'halt'],
    queryFn: async () => (await dataOf('GET /api/v1/admin/users/{userId}', { path: { userId } })).halt,
  })

export const useSessionsOf = (userId: string) =>
  useQuery({
    ...BY_HAND,
    queryKey: [...userKey(userId), 'sessions'],
    queryFn: async () =>
      (await dataOf('GET /api/v1/admin/users/{userId}/sessions', { path: { userId } })).sessions,
  })

export const useAuditLog = ({ user, page = 1 }: AuditSearch) =>
  useQuery({
    ...BY_HAND,
    queryKey: ['administration', 'log', user, page],
    queryFn: () =>
      dataOf('GET /api/v1/admin/audit-log', {
        query: {
          limit: PAGE_ROWS,
          offset: (page - 1) * PAGE_ROWS,
          ...(user !== undefined && { userId: user }),
        },
      }),
    placeholderData: keepPreviousData,
  })

export const ROLES = { member: 'member', admin: 'administrator' } as const satisfies Record<
  AdministeredUser['role'],
  string
>
export const PLANS = {
  FREE: 'FREE',
  BASIC: 'BASIC',
  ADVANCED: 'ADVANCED',
  PRO: 'PRO',
} as const satisfies Record<AdministeredUser['plan'], string>

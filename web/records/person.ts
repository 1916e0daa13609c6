import { useQuery } from '@tanstack/react-query'
import { tokenCap } from '#domain/risk/token-bounds.ts'
import { ask } from '../connection/ask.ts'

export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: async () => (await ask('GET /api/v1/me')).body.data.user })

/** Settings of this installation, read once a page load. */
export const useAppInfo = () =>
  useQuery({
    queryKey: ['app'],
    queryFn: async () => (await ask('GET /api/v1/app')).body.data,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Number of access tokens that the subscription plan permits, used or not; undefined while unknown. */
export const useTokenRoom = (): number | undefined => {
  const { data: me } = useMe()
  return me && tokenCap(me.plan)
}

/** More than any subscription plan permits, with a desktop for each of many devices. */
const TOKEN_ROWS = 100

/**
 * The person's tokens, newest first; never their texts.
 *
 * @param isWanted whether they are read
 */
export const useTokens = (isWanted = true) =>
  useQuery({
    enabled: isWanted,
    queryKey: ['tokens'],
    queryFn: async () => (await ask('GET /api/v1/tokens', { query: { limit: TOKEN_ROWS } })).body.data.tokens,
  })

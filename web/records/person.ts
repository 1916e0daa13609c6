import { useQuery } from '@tanstack/react-query'
import { tokenCap } from '#domain/risk/token-bounds.ts'
import { ask } from '../connection/ask.ts'

/** The person who is signed in. */
export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: async () => (await ask('GET /api/v1/me')).body.data.user })

/** How this installation is set up: asked once a page load, by those parts that need it. */
export const useAppInfo = () =>
  useQuery({
    queryKey: ['app'],
    queryFn: async () => (await ask('GET /api/v1/app')).body.data,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** How many access tokens the plan of the person holds, whether they are used or not; undefined while it is not known. */
export const useTokenRoom = (): number | undefined => {
  const { data: me } = useMe()
  return me && tokenCap(me.plan)
}

/** More than any plan holds, with a desktop for each of many devices. */
const TOKEN_ROWS = 100

/**
 * The tokens of the person, the newest first; never their texts.
 *
 * @param isWanted whether they are asked for
 */
export const useTokens = (isWanted = true) =>
  useQuery({
    enabled: isWanted,
    queryKey: ['tokens'],
    queryFn: async () => (await ask('GET /api/v1/tokens', { query: { limit: TOKEN_ROWS } })).body.data.tokens,
  })

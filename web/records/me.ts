import { useQuery } from '@tanstack/react-query'
import { ask } from '../connection/ask.ts'

/** The person who is signed in. */
export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: async () => (await ask('GET /api/v1/me')).body.data.user })

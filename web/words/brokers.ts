import type { BrokerConnection } from '#client/types.ts'
import { duration } from './times.ts'

type Answering = Pick<BrokerConnection, 'unansweredSince'>

/** "has not answered for 8 s"; null while it answers. */
export const silenceOf = ({ unansweredSince }: Answering, now: number): string | null =>
  unansweredSince === null
    ? null
    : `has not answered for ${duration(Math.max(1_000, Math.round((now - Date.parse(unansweredSince)) / 1_000) * 1_000)).replace('.0', '')}`

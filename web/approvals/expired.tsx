import type { Signal } from '#client/types.ts'
import { Notice } from '../parts/notice.tsx'
import { marketTime } from '../words/times.ts'

/** Nobody decided in time. */
export const Expired = ({ signal }: { signal: Signal }) => (
  <Notice kind="warn" title={`Expired at ${marketTime(signal.validUntil ?? '')}. Nothing was sent.`} />
)

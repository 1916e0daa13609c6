import { useStore } from '../connection/store.ts'
import { listTime } from '../words/times.ts'
import { settings } from './settings.ts'

export const ListTime = ({ at, now }: { at: string; now: number }) => (
  <time dateTime={at}>{listTime(at, now, useStore(settings).zone)}</time>
)

import { CirclePause, CirclePlay } from 'lucide-react'
import type { Strategy } from '#client/types.ts'
import { Chip } from '../parts/panel.tsx'

export const StatusChip = ({ status }: Pick<Strategy, 'status'>) =>
  status === 'active' ? (
    <Chip kind="good">
      <CirclePlay aria-hidden="true" /> active
    </Chip>
  ) : (
    <Chip kind="warn">
      <CirclePause aria-hidden="true" /> paused
    </Chip>
  )

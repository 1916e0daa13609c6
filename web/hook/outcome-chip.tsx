import type { HookRequest } from '#client/types.ts'
import { Chip } from '../parts/panel.tsx'
import { OUTCOMES, UNDER_WAY } from './outcomes.ts'

export const OutcomeChip = ({ outcome }: Pick<HookRequest, 'outcome'>) => {
  const { text, kind } = outcome === null ? UNDER_WAY : OUTCOMES[outcome]
  return <Chip kind={kind}>{text}</Chip>
}

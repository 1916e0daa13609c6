import { Link } from '@tanstack/react-router'
import type { Strategy } from '#client/types.ts'

export const StrategyName = ({ id, known }: { id: string | null; known: readonly Strategy[] | undefined }) =>
  id === null ? (
    'no strategy'
  ) : (
    <Link to="/strategies/$strategy" params={{ strategy: id }} className="underline">
      {known?.find((each) => each.id === id)?.name ?? 'a deleted strategy'}
    </Link>
  )

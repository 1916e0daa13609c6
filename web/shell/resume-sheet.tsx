import { FormSheet, useSend } from '../parts/form.tsx'
import { ActingFor } from '../parts/acting-for.tsx'
import { useNow } from '../parts/time.ts'
import { useHalts, useSwitch } from '../records/halts.ts'
import { LEVELS, type Halt } from '../words/halts.ts'
import { useAgenda } from '../today/agenda-line.tsx'
import { agendaTitle, releasedBy } from '../words/agenda.ts'
import { shortTime } from '../words/times.ts'
import { stopped } from './open.ts'

interface Props {
  halt: Halt
  scope: 'user' | 'global'
  close: () => void
}

/** Asks before a halt is lifted, and lists exits that are sent at once and entries that may open again. */
export function ResumeSheet({ halt, scope, close }: Props) {
  const { resume } = useSwitch(scope)
  const form = useSend(async () => {
    await resume()
    stopped.set(null)
    close()
  })
  return (
    <FormSheet
      close={close}
      title={scope === 'user' ? 'Resume trading?' : 'Resume for all users?'}
      verb="Resume"
      kind="stop"
      form={form}
      isQuestion
      needsNoNews
    >
      <ActingFor />
      <Released halt={halt} />
      <MayOpen halt={halt} scope={scope} />
    </FormSheet>
  )
}

/** Most items that are named; further ones are counted. */
const MOST_NAMED = 6

function Released({ halt }: Pick<Props, 'halt'>) {
  const now = useNow()
  const agenda = useAgenda(undefined, 100)
  const items = releasedBy(halt, useHalts(), agenda.data?.items ?? [], now)
  if (agenda.isError) return <p className="text-warn">The overdue orders could not be read.</p>
  if (items.length === 0) return null
  return (
    <div className="rounded-card bg-warn-soft px-4 py-3">
      <p className="font-bold">Sent at once, because it is overdue</p>
      <ul>
        {items.slice(0, MOST_NAMED).map((item) => (
          <li key={`${item.kind} ${item.signalId}`}>
            {agendaTitle(item)} <span className="text-xs">since {shortTime(item.at, now)} New York</span>
          </li>
        ))}
      </ul>
      {items.length > MOST_NAMED && <p className="text-xs">and {items.length - MOST_NAMED} more</p>}
    </div>
  )
}

function MayOpen({ halt, scope }: Pick<Props, 'halt' | 'scope'>) {
  const rest = useHalts().find(({ id, accountId }) => id !== halt.id && accountId === null)
  if (scope === 'global')
    return (
      <p className="text-muted">
        Signals of every user may open positions again. Stops that users have set stay.
      </p>
    )
  return (
    <p className="text-muted">
      {rest
        ? `${LEVELS[rest.level].stands} by an administrator in any case.`
        : 'Signals may open positions again in all your accounts, except accounts with their own stop.'}
    </p>
  )
}

import { ask } from '../connection/ask.ts'
import { Field, SelectField } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { LEVELS, type Halt } from '../words/halts.ts'
import { bothTimes } from '../words/times.ts'
import { useHaltOf, type AdministeredUser } from './data.ts'

const NAMES = {
  pauseEntries: LEVELS.pauseEntries.name,
  reduceOnly: LEVELS.reduceOnly.name,
  fullStop: LEVELS.fullStop.name,
} satisfies Record<Halt['level'], string>

/** The halt that an administrator sets for one user, who cannot lift it. */
export function UserHalt({ user }: { user: AdministeredUser }) {
  const halt = useHaltOf(user.id)
  return (
    <Panel title="Their trading">
      <Loaded query={halt} name="The halt" rows={2}>
        {(standing) =>
          standing === null ? (
            <SetHalt user={user} done={halt.refetch} />
          ) : (
            <HaltLine user={user} halt={standing} done={halt.refetch} />
          )
        }
      </Loaded>
    </Panel>
  )
}

interface Props {
  user: AdministeredUser
  done: () => Promise<unknown>
}

function HaltLine({ user, halt, done }: Props & { halt: Halt }) {
  const now = useNow()
  const form = useSend(async () => {
    await ask('DELETE /api/v1/admin/users/{userId}/halt', { path: { userId: user.id } })
    await done()
  })
  return (
    <Form {...form} action="Lift the halt" kind="danger" size="normal" className="gap-3 p-4">
      <p className="wrap-anywhere">
        <b className="font-bold">{LEVELS[halt.level].stands}</b> since {bothTimes(halt.setAt, now)}
        {halt.reason !== null && <span className="block text-xs">“{halt.reason}”</span>}
      </p>
    </Form>
  )
}

function SetHalt({ user, done }: Props) {
  const form = useSend(async (data) => {
    await ask('PUT /api/v1/admin/users/{userId}/halt', {
      path: { userId: user.id },
      body: { level: textOf(data, 'level') as Halt['level'], reason: textOf(data, 'reason') || null },
    })
    await done()
  })
  return (
    <Form {...form} action="Stop their trading" kind="stop" size="normal" className="gap-3 p-4">
      <p className="text-muted">
        For all their accounts, within a second. They see it and cannot lift it. Orders at the broker stay
        open.
      </p>
      <SelectField label="Level" name="level" options={NAMES} defaultValue="reduceOnly" />
      <Field label="Reason (optional)" name="reason" hint="The user reads it" />
    </Form>
  )
}

import { getRouteApi, Link } from '@tanstack/react-router'
import { ask } from '../connection/ask.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { SelectField } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { useMe } from '../records/person.ts'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { SessionItem } from '../security/session-item.tsx'
import { bothTimes } from '../words/times.ts'
import { useSessionsOf, useUser, userKey, type AdministeredUser, PLANS, ROLES } from './data.ts'
import { Administration, UserState } from './frame.tsx'
import { UserDoors } from './user-doors.tsx'
import { UserHalt } from './user-halt.tsx'
import { queries } from '../connection/queries.ts'

const route = getRouteApi('/gate/shell/administration/users/$user')

export const UserPage = () => (
  <Administration name="User">
    <User />
  </Administration>
)

function User() {
  const { user: userId } = route.useParams()
  const user = useUser(userId)
  return (
    <Loaded query={user} name="The user" rows={6}>
      {(known) => (
        <div className="grid items-start gap-4 wide:grid-cols-2">
          <div className="grid min-w-0 gap-4">
            <About user={known} />
            <Authority key={`${known.role} ${known.plan}`} user={known} />
          </div>
          <div className="grid min-w-0 gap-4">
            <UserHalt user={known} />
            <UserDoors user={known} />
            <Sessions user={known} />
          </div>
        </div>
      )}
    </Loaded>
  )
}

function About({ user }: { user: AdministeredUser }) {
  const now = useNow()
  return (
    <Panel title={<span className="wrap-anywhere">{user.email}</span>} aside={<UserState user={user} />}>
      <Facts>
        <Fact name="Since">{bothTimes(user.createdAt, now)}</Fact>
        <Fact name="Trading mode">{user.tradingMode}</Fact>
        <Fact name="Two-step sign-in">{user.mfaEnabled ? 'on' : 'off'}</Fact>
        <Fact name="Password">{user.hasPassword ? 'chosen' : 'not set yet'}</Fact>
        <Fact name="Id">
          <span className="font-mono text-xs">{user.id}</span>
        </Fact>
      </Facts>
      <p className="border-t border-line px-4 py-3">
        <Link to="/administration/log" search={{ user: user.id }} className={buttonClass()}>
          Activity log
        </Link>
      </p>
    </Panel>
  )
}

function Authority({ user }: { user: AdministeredUser }) {
  const { data: me } = useMe()
  const isOwn = me?.id === user.id
  const form = useSend(
    async (data) => {
      const { body } = await ask('PATCH /api/v1/admin/users/{userId}', {
        path: { userId: user.id },
        body: {
          plan: textOf(data, 'plan') as AdministeredUser['plan'],
          ...(!isOwn && { role: textOf(data, 'role') as AdministeredUser['role'] }),
        },
      })
      queries.setQueryData(userKey(user.id), body.data.user)
    },
    { OWN_ACCOUNT: 'role' },
  )
  return (
    <Panel title="Permissions">
      <Form {...form} action="Change it" size="normal" className="gap-4 p-4">
        <SelectField
          label="Role"
          name="role"
          options={ROLES}
          defaultValue={user.role}
          disabled={isOwn}
          hint={
            isOwn ? 'Another administrator must remove this role' : 'Takes effect with their next request'
          }
        />
        <SelectField label="Plan" name="plan" options={PLANS} defaultValue={user.plan} />
      </Form>
    </Panel>
  )
}

function Sessions({ user }: { user: AdministeredUser }) {
  const sessions = useSessionsOf(user.id)
  const now = useNow()
  const form = useSend(async () => {
    await ask('DELETE /api/v1/admin/users/{userId}/sessions', { path: { userId: user.id } })
    await sessions.refetch()
  })
  return (
    <Panel
      title="Sessions and devices"
      aside={
        (sessions.data?.length ?? 0) > 0 && (
          <form onSubmit={form.submit}>
            <Button type="submit" disabled={form.isBusy}>
              End all
            </Button>
          </form>
        )
      }
    >
      {form.problem && (
        <div className="p-4">
          <ProblemNotice problem={form.problem} />
        </div>
      )}
      <Loaded query={sessions} name="The sessions">
        {(all) =>
          all.length === 0 ? (
            <Empty title="Not signed in on any device" />
          ) : (
            <ul aria-label="Sessions">
              {all.map((session) => (
                <SessionItem key={session.id} session={session} now={now} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

import { useState } from 'react'
import { ask } from '../connection/ask.ts'
import { Button } from '../parts/button.tsx'
import { useSend, Form, FormSheet } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'
import { useMe } from '../records/person.ts'
import { LinkSent } from '../session/frame.tsx'
import { userKey, type AdministeredUser } from './data.ts'
import { queries } from '../connection/queries.ts'

/** Suspension of a user, and a link for a new password. */
export function UserDoors({ user }: { user: AdministeredUser }) {
  const { data: me } = useMe()
  const [isAsked, setAsked] = useState(false)
  const change = async (isDisabled: boolean): Promise<void> => {
    const { body } = await ask('PATCH /api/v1/admin/users/{userId}', {
      path: { userId: user.id },
      body: { isDisabled },
    })
    queries.setQueryData(userKey(user.id), body.data.user)
    await queries.resetQueries({ queryKey: [...userKey(user.id), 'sessions'] })
    setAsked(false)
  }
  const suspend = useSend(() => change(true))
  const resume = useSend(() => change(false))
  return (
    <Panel title="Access">
      <div className="grid gap-4 p-4">
        {me?.id === user.id ? (
          <p className="text-muted">This is you: another administrator may suspend you.</p>
        ) : user.isDisabled ? (
          <Form {...resume} action="Reactivate" size="normal" className="gap-3">
            <p>Suspended: sign-in and tokens are refused. Accepted signals and exits continue.</p>
          </Form>
        ) : (
          <div className="grid justify-items-start gap-3">
            <p className="text-muted">
              Suspending ends their sessions and refuses their tokens. Their data is kept.
            </p>
            <Button kind="danger" onClick={() => setAsked(true)}>
              Suspend…
            </Button>
          </div>
        )}
        {!user.isDisabled && <PasswordLink user={user} />}
      </div>
      {isAsked && (
        <FormSheet
          close={() => setAsked(false)}
          title={`Suspend ${user.email}?`}
          verb="Suspend"
          kind="stop"
          form={suspend}
          isQuestion
          needsNoNews
        >
          <p className="text-muted">
            Their sessions end with the next request, and webhooks with their tokens are refused. Accepted
            signals and exits continue; positions stay open.
          </p>
        </FormSheet>
      )}
    </Panel>
  )
}

/** The link of "forgot password"; only its user learns the password. */
function PasswordLink({ user }: { user: AdministeredUser }) {
  const [isSent, setSent] = useState(false)
  const form = useSend(async () => {
    await ask('POST /api/v1/auth/forgot-password', { body: { email: user.email } })
    setSent(true)
  })
  return (
    <Form
      {...form}
      action="Send a link"
      kind="plain"
      size="normal"
      className="gap-3 border-t border-line pt-4"
    >
      <p className="text-muted">
        The link for a new password is valid for half an hour. Two-step sign-in still applies; only they can
        turn it off.
      </p>
      <div role="status" className="empty:hidden">
        {isSent && <LinkSent to={user.email} />}
      </div>
    </Form>
  )
}

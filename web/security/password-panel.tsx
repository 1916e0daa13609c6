import { useState } from 'react'
import { ask } from '../connection/ask.ts'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { useMe } from '../records/person.ts'
import { CodeField } from './proof-form.tsx'
import { readOwnAccountAgain } from './own-account.ts'

/** Changes the password, which ends all other sessions. */
export function PasswordPanel() {
  const { data: me } = useMe()
  const [changes, setChanges] = useState(0)
  const form = useSend(
    async (data) => {
      await ask('PUT /api/v1/auth/password', {
        body: {
          currentPassword: textOf(data, 'currentPassword'),
          newPassword: textOf(data, 'newPassword'),
          ...(me?.mfaEnabled === true && { code: textOf(data, 'code').trim() }),
        },
      })
      setChanges(changes + 1)
      await readOwnAccountAgain()
    },
    { WRONG_PASSWORD: 'currentPassword', WRONG_CODE: 'code' },
  )
  return (
    <Panel title="Password">
      <div className="grid gap-4 p-4">
        <div role="status" className="empty:hidden">
          {changes > 0 && (
            <Notice kind="info" title="The new password is set; your other sessions were ended" />
          )}
        </div>
        <Form key={changes} {...form} action="Change the password">
          <input type="text" autoComplete="username" value={me?.email ?? ''} readOnly hidden />
          <Field
            label="Current password"
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            required
          />
          <Field
            label="New password"
            name="newPassword"
            type="password"
            autoComplete="new-password"
            hint="Ends all your other sessions, on devices too"
            required
          />
          {me?.mfaEnabled === true && <CodeField />}
        </Form>
      </div>
    </Panel>
  )
}

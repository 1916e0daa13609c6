import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { SignedIn } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useStore } from '../connection/store.ts'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { useAppInfo } from '../records/person.ts'
import { Frame } from './frame.tsx'
import { begin, session } from '../connection/session.ts'

/** Password first, then the second step if the person has one. The address keeps the page to return to. */
export function SignInPage() {
  const [mfaToken, setMfaToken] = useState<string | null>(null)
  return mfaToken === null ? (
    <Password next={setMfaToken} />
  ) : (
    <SecondStep mfaToken={mfaToken} back={() => setMfaToken(null)} />
  )
}

function Password({ next }: { next: (mfaToken: string) => void }) {
  const state = useStore(session)
  const { data: app } = useAppInfo()
  const form = useSend(async (data) => {
    const { body } = await ask('POST /api/v1/auth/login', {
      body: { email: textOf(data, 'email'), password: textOf(data, 'password'), session: 'cookie' },
    })
    if ('mfaToken' in body.data) next(body.data.mfaToken)
    else begin(body.data)
  })
  return (
    <Frame title="Sign in">
      {state.is === 'out' && state.because !== undefined && <Notice kind="info" title={state.because} />}
      <Form {...form} action="Sign in">
        <Field label="Email" name="email" type="email" autoComplete="username" required />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      </Form>
      <p className="flex flex-wrap justify-between gap-x-4">
        <Link to="/forgot-password" className="py-2 underline">
          Forgotten password
        </Link>
        {app && app.registration !== 'closed' && (
          <Link to="/register" className="py-2 underline">
            {app.registration === 'firstUser' ? 'Set up the first user' : 'Register'}
          </Link>
        )}
      </p>
    </Frame>
  )
}

function SecondStep({ mfaToken, back }: { mfaToken: string; back: () => void }) {
  const [isBackup, setBackup] = useState(false)
  const form = useSend(async (data) => {
    const { body } = await ask('POST /api/v1/auth/mfa/verify', {
      body: { mfaToken, code: textOf(data, 'code').replaceAll(/\s/g, ''), session: 'cookie' },
    })
    begin(body.data as SignedIn)
  })
  return (
    <Frame title="Second step">
      <Form {...form} action="Sign in">
        <Field
          key={String(isBackup)}
          label={isBackup ? 'Backup code' : 'Code from your authenticator'}
          name="code"
          inputMode={isBackup ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          hint={isBackup ? 'Each of them works once.' : 'Six digits, new every 30 seconds.'}
          required
        />
      </Form>
      <p className="flex flex-wrap justify-between gap-x-4">
        <button type="button" className="py-2 underline" onClick={() => setBackup(!isBackup)}>
          {isBackup ? 'Use the authenticator' : 'Use a backup code'}
        </button>
        <button type="button" className="py-2 underline" onClick={back}>
          Go back
        </button>
      </p>
    </Frame>
  )
}

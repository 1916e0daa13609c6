import { Download } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Routes } from '#client/types.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { saveFile } from '../parts/csv-button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Chip, Panel } from '../parts/panel.tsx'
import { useMe } from '../records/person.ts'
import { number } from '../words/figures.ts'
import { readOwnAccountAgain } from './own-account.ts'
import { ProofForm } from './proof-form.tsx'

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }))

type Enrolment = Routes['POST /api/v1/auth/mfa/setup']['answers'][200]['data']

export function SecondStepPanel() {
  const { data: me } = useMe()
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const isOn = me?.mfaEnabled === true
  const take = async (fresh: readonly string[]): Promise<void> => {
    setCodes(fresh)
    setEnrolment(null)
    await readOwnAccountAgain()
  }
  return (
    <Panel
      title="Two-step sign-in"
      aside={me && (isOn ? <Chip kind="good">on</Chip> : <Chip kind="warn">off</Chip>)}
    >
      <div className="grid gap-4 p-4">
        {isOn ? (
          <InUse left={me.backupCodesLeft} take={take} />
        ) : enrolment === null ? (
          <Off begin={setEnrolment} />
        ) : (
          <Enrol enrolment={enrolment} take={take} giveUp={() => setEnrolment(null)} />
        )}
      </div>
      <BackupCodesSheet codes={codes} close={() => setCodes(null)} />
    </Panel>
  )
}

function Off({ begin }: { begin: (enrolment: Enrolment) => void }) {
  const form = useSend(async () => begin(await dataOf('POST /api/v1/auth/mfa/setup')))
  return (
    <>
      <p>
        Without it, your password alone is enough to sign in. With it, a code from an app on your phone is
        required as well.
      </p>
      <Form {...form} action="Turn it on…" size="normal" />
    </>
  )
}

function Enrol({
  enrolment: { secret, uri },
  take,
  giveUp,
}: {
  enrolment: Enrolment
  take: (codes: readonly string[]) => Promise<void>
  giveUp: () => void
}) {
  const form = useSend(async (data) => {
    const { body } = await ask('POST /api/v1/auth/mfa/verify', {
      body: { code: textOf(data, 'code').replaceAll(/\s/g, '') },
    })
    if ('backupCodes' in body.data) await take(body.data.backupCodes)
  })
  return (
    <>
      <p>
        <b className="font-bold">1.</b> Scan this with an authenticator application, or type the secret into
        it.
      </p>
      <div className="flex flex-wrap items-center gap-4">
        <Suspense fallback={<div className="size-50" />}>
          <QrCode text={uri} label="QR code of the secret, for an authenticator" />
        </Suspense>
        <div className="grid min-w-40 flex-1 justify-items-start gap-2">
          <p className="text-muted">The secret as text</p>
          <code className="font-mono text-sm wrap-anywhere" aria-label="Secret">
            {secret}
          </code>
          <CopyButton text={secret} what="the secret" />
          <p className="text-xs text-muted">It is not shown again.</p>
        </div>
      </div>
      <p>
        <b className="font-bold">2.</b> Type the code that it shows. It is turned on with the first right
        code, and your other sessions end.
      </p>
      <Form {...form} action="Turn it on">
        <Field
          label="Code from your authenticator"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          hint="Six digits, new every 30 seconds"
          required
        />
      </Form>
      <Button onClick={giveUp}>Go back</Button>
    </>
  )
}

function InUse({ left, take }: { left: number; take: (codes: readonly string[]) => Promise<void> }) {
  const [asked, setAsked] = useState<'codes' | 'off' | null>(null)
  const close = (): void => setAsked(null)
  return (
    <>
      <p>
        A code is required at every sign-in and for sensitive actions.{' '}
        {left === 0 ? (
          <b className="font-bold text-danger">
            No backup code is left: without your phone you cannot sign in.
          </b>
        ) : (
          `${number(left)} backup ${left === 1 ? 'code is' : 'codes are'} left for when you do not have your phone.`
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setAsked('codes')}>New backup codes…</Button>
        <Button kind="danger" onClick={() => setAsked('off')}>
          Turn it off…
        </Button>
      </div>
      {asked === 'codes' && (
        <ProofForm
          close={close}
          title="New backup codes?"
          effect="Your current codes stop working."
          action="Make new codes"
          send={async (proof) => {
            const { body } = await ask('POST /api/v1/auth/mfa/backup-codes/regenerate', { body: proof })
            close()
            await take(body.data.backupCodes)
          }}
        />
      )}
      {asked === 'off' && (
        <ProofForm
          close={close}
          title="Turn two-step sign-in off?"
          effect="Your password alone will be enough to sign in. Your other sessions end, and the backup codes are void."
          action="Turn it off"
          kind="stop"
          send={async (proof) => {
            await ask('POST /api/v1/auth/mfa/disable', { body: proof })
            close()
            await readOwnAccountAgain()
          }}
        />
      )}
    </>
  )
}

/** Backup codes, shown once; only the button closes the sheet, so that no mistaken key does. */
const BackupCodesSheet = ({ codes, close }: { codes: readonly string[] | null; close: () => void }) => (
  <Sheet isOpen={codes !== null} close={() => {}} title="Your backup codes">
    {codes !== null && (
      <>
        <Notice kind="warn" title="Shown only once">
          Each signs you in once, without your phone. Keep them apart from your password: on paper, or in a
          password manager. Anyone with a code and your password can sign in.
        </Notice>
        <ul
          aria-label="Backup codes"
          className="grid gap-1 rounded-card bg-sunken px-4 py-3 font-mono text-sm"
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={codes.join('\n')} what="the backup codes" />
          <Button
            onClick={() => saveFile('durable-trader-backup-codes.txt', `${codes.join('\n')}\n`, 'text/plain')}
          >
            <Download aria-hidden="true" className="size-4" /> Save as a file
          </Button>
        </div>
        <Button size="big" kind="primary" onClick={close}>
          I have stored them
        </Button>
      </>
    )}
  </Sheet>
)

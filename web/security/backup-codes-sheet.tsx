import { Download } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { saveFile } from '../parts/save-file.ts'

/** Backup codes, this once; only the person puts them away, so that no key pressed by mistake does. */
export const BackupCodesSheet = ({
  codes,
  close,
}: {
  codes: readonly string[] | null
  close: () => void
}) => (
  <Sheet isOpen={codes !== null} close={() => {}} title="Your backup codes">
    {codes !== null && (
      <>
        <Notice kind="warn" title="They are shown now and never again">
          <p className="text-sm">
            Each signs you in once, without your phone. Keep them apart from your password: on paper, or in a
            password manager. Whoever has one and your password can sign in.
          </p>
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

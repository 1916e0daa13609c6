import { Download } from 'lucide-react'
import { useState } from 'react'
import { type Problem, asProblem } from '../connection/problem.ts'
import { number } from '../words/figures.ts'
import { Button } from './button.tsx'

interface Props {
  name: string
  read: (progress: (rows: number, total: number) => void) => Promise<string>
}

export function CsvButton({ name, read }: Props) {
  const [state, setState] = useState<{ rows: number; total: number } | Problem | null>(null)
  const isBusy = state !== null && 'rows' in state
  const save = async (): Promise<void> => {
    setState({ rows: 0, total: 0 })
    try {
      saveFile(`${name}.csv`, await read((rows, total) => setState({ rows, total })), 'text/csv')
      setState(null)
    } catch (error) {
      setState(asProblem(error))
    }
  }
  return (
    <span className="inline-flex flex-wrap items-center">
      <span role="status" className={`text-xs text-muted ${state === null ? '' : 'mr-2'}`}>
        {isBusy && `${number(state.rows)} of ${number(state.total)} rows`}
        {state !== null && !('rows' in state) && `No file: ${state.message}`}
      </span>
      <Button className="max-desk:w-11 max-desk:px-0" disabled={isBusy} onClick={() => void save()}>
        <Download aria-hidden="true" className="size-4" /> <span className="max-desk:sr-only">CSV</span>
      </Button>
    </span>
  )
}

export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the file by the next task.
  setTimeout(() => URL.revokeObjectURL(url))
}

const RECORD_FILE = /\.(?:tfrecords?|tfrec)(?=$|[.-])/i;

/** Whether a file is one of records by its name: "train.tfrecord", "train.tfrecords.gz", "a.tfrecord-00000-of-00010". */
export function isRecordFileName(name: string): boolean {
  return RECORD_FILE.test(name);
}

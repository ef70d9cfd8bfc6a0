import "react";

declare module "react" {
  interface CSSProperties {
    /** The colour of the task that an element and its parts belong to. */
    "--c"?: string;
  }
}

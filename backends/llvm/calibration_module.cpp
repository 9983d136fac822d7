// The module of calibrate_llvm(): sorting, linear algebra, hashing, decompression, parsing, a small
// interpreter. Made once by clang 19 from C (-O1 -Xclang -disable-llvm-passes, then sroa). Never to
// be changed: figures taken with another text cannot be compared.
#include "backends/llvm/calibration_module.h"

namespace sinter::backends {

const char* const CalibrationModule = R"LLVM(
define dso_local void @heap_sort(ptr noundef %0, i32 noundef %1) #0 {
  %3 = sdiv i32 %1, 2
  br label %4
4:
  %.0 = phi i32 [ %3, %2 ], [ %5, %8 ]
  %5 = add nsw i32 %.0, -1
  %6 = icmp sgt i32 %.0, 0
  br i1 %6, label %8, label %7
7:
  br label %9
8:
  call void @sift(ptr noundef %0, i32 noundef %5, i32 noundef %1)
  br label %4
9:
  br label %10
10:
  %.015 = phi i32 [ %1, %9 ], [ %11, %14 ]
  %11 = add nsw i32 %.015, -1
  %12 = icmp sgt i32 %.015, 1
  br i1 %12, label %14, label %13
13:
  br label %23
14:
  %15 = getelementptr inbounds i32, ptr %0, i64 0
  %16 = load i32, ptr %15, align 4
  %17 = sext i32 %11 to i64
  %18 = getelementptr inbounds i32, ptr %0, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = getelementptr inbounds i32, ptr %0, i64 0
  store i32 %19, ptr %20, align 4
  %21 = sext i32 %11 to i64
  %22 = getelementptr inbounds i32, ptr %0, i64 %21
  store i32 %16, ptr %22, align 4
  call void @sift(ptr noundef %0, i32 noundef 0, i32 noundef %11)
  br label %10
23:
  ret void
}
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1
define internal void @sift(ptr noundef %0, i32 noundef %1, i32 noundef %2) #0 {
  br label %4
4:
  %.0 = phi i32 [ %1, %3 ], [ %.1, %44 ]
  %5 = mul nsw i32 2, %.0
  %6 = add nsw i32 %5, 1
  %7 = icmp sge i32 %6, %2
  br i1 %7, label %8, label %9
8:
  br label %43
9:
  %10 = add nsw i32 %6, 1
  %11 = icmp slt i32 %10, %2
  br i1 %11, label %12, label %23
12:
  %13 = add nsw i32 %6, 1
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds i32, ptr %0, i64 %14
  %16 = load i32, ptr %15, align 4
  %17 = sext i32 %6 to i64
  %18 = getelementptr inbounds i32, ptr %0, i64 %17
  %19 = load i32, ptr %18, align 4
  %20 = icmp sgt i32 %16, %19
  br i1 %20, label %21, label %23
21:
  %22 = add nsw i32 %6, 1
  br label %23
23:
  %.025 = phi i32 [ %22, %21 ], [ %6, %12 ], [ %6, %9 ]
  %24 = sext i32 %.0 to i64
  %25 = getelementptr inbounds i32, ptr %0, i64 %24
  %26 = load i32, ptr %25, align 4
  %27 = sext i32 %.025 to i64
  %28 = getelementptr inbounds i32, ptr %0, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = icmp sge i32 %26, %29
  br i1 %30, label %31, label %32
31:
  br label %43
32:
  %33 = sext i32 %.0 to i64
  %34 = getelementptr inbounds i32, ptr %0, i64 %33
  %35 = load i32, ptr %34, align 4
  %36 = sext i32 %.025 to i64
  %37 = getelementptr inbounds i32, ptr %0, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = sext i32 %.0 to i64
  %40 = getelementptr inbounds i32, ptr %0, i64 %39
  store i32 %38, ptr %40, align 4
  %41 = sext i32 %.025 to i64
  %42 = getelementptr inbounds i32, ptr %0, i64 %41
  store i32 %35, ptr %42, align 4
  br label %43
43:
  %.024 = phi i32 [ 1, %8 ], [ 1, %31 ], [ 0, %32 ]
  %.1 = phi i32 [ %.0, %8 ], [ %.0, %31 ], [ %.025, %32 ]
  switch i32 %.024, label %46 [
    i32 0, label %44
    i32 1, label %45
  ]
44:
  br label %4
45:
  ret void
46:
  unreachable
}
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1
define dso_local void @multiply(ptr noundef %0, ptr noundef %1, ptr noalias noundef %2, i32 noundef %3) #0 {
  br label %5
5:
  %.024 = phi i32 [ 0, %4 ], [ %39, %38 ]
  %6 = icmp slt i32 %.024, %3
  br i1 %6, label %8, label %7
7:
  br label %40
8:
  br label %9
9:
  %.023 = phi i32 [ 0, %8 ], [ %36, %35 ]
  %10 = icmp slt i32 %.023, %3
  br i1 %10, label %12, label %11
11:
  br label %37
12:
  br label %13
13:
  %.022 = phi float [ 0.000000e+00, %12 ], [ %27, %28 ]
  %.0 = phi i32 [ 0, %12 ], [ %29, %28 ]
  %14 = icmp slt i32 %.0, %3
  br i1 %14, label %16, label %15
15:
  br label %30
16:
  %17 = mul nsw i32 %.024, %3
  %18 = add nsw i32 %17, %.0
  %19 = sext i32 %18 to i64
  %20 = getelementptr inbounds float, ptr %0, i64 %19
  %21 = load float, ptr %20, align 4
  %22 = mul nsw i32 %.0, %3
  %23 = add nsw i32 %22, %.023
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds float, ptr %1, i64 %24
  %26 = load float, ptr %25, align 4
  %27 = call float @llvm.fmuladd.f32(float %21, float %26, float %.022)
  br label %28
28:
  %29 = add nsw i32 %.0, 1
  br label %13
30:
  %31 = mul nsw i32 %.024, %3
  %32 = add nsw i32 %31, %.023
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds float, ptr %2, i64 %33
  store float %.022, ptr %34, align 4
  br label %35
35:
  %36 = add nsw i32 %.023, 1
  br label %9
37:
  br label %38
38:
  %39 = add nsw i32 %.024, 1
  br label %5
40:
  ret void
}
declare float @llvm.fmuladd.f32(float, float, float) #2
define dso_local i32 @solve(ptr noundef %0, ptr noundef %1, i32 noundef %2) #0 {
  br label %4
4:
  %.0117 = phi i32 [ 0, %3 ], [ %136, %135 ]
  %.0115 = phi i32 [ undef, %3 ], [ %.1, %135 ]
  %5 = icmp slt i32 %.0117, %2
  br i1 %5, label %7, label %6
6:
  br label %137
7:
  %8 = add nsw i32 %.0117, 1
  br label %9
9:
  %.0123 = phi i32 [ %8, %7 ], [ %39, %38 ]
  %.0121 = phi i32 [ %.0117, %7 ], [ %.1122, %38 ]
  %10 = icmp slt i32 %.0123, %2
  br i1 %10, label %12, label %11
11:
  br label %40
12:
  %13 = mul nsw i32 %.0123, %2
  %14 = add nsw i32 %13, %.0117
  %15 = sext i32 %14 to i64
  %16 = getelementptr inbounds double, ptr %0, i64 %15
  %17 = load double, ptr %16, align 8
  %18 = mul nsw i32 %.0121, %2
  %19 = add nsw i32 %18, %.0117
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds double, ptr %0, i64 %20
  %22 = load double, ptr %21, align 8
  %23 = fcmp olt double %17, 0.000000e+00
  br i1 %23, label %24, label %26
24:
  %25 = fneg double %17
  br label %27
26:
  br label %27
27:
  %28 = phi double [ %25, %24 ], [ %17, %26 ]
  %29 = fcmp olt double %22, 0.000000e+00
  br i1 %29, label %30, label %32
30:
  %31 = fneg double %22
  br label %33
32:
  br label %33
33:
  %34 = phi double [ %31, %30 ], [ %22, %32 ]
  %35 = fcmp ogt double %28, %34
  br i1 %35, label %36, label %37
36:
  br label %37
37:
  %.1122 = phi i32 [ %.0123, %36 ], [ %.0121, %33 ]
  br label %38
38:
  %39 = add nsw i32 %.0123, 1
  br label %9
40:
  %41 = mul nsw i32 %.0121, %2
  %42 = add nsw i32 %41, %.0117
  %43 = sext i32 %42 to i64
  %44 = getelementptr inbounds double, ptr %0, i64 %43
  %45 = load double, ptr %44, align 8
  %46 = fcmp oeq double %45, 0.000000e+00
  br i1 %46, label %47, label %48
47:
  br label %133
48:
  %49 = icmp ne i32 %.0121, %.0117
  br i1 %49, label %50, label %86
50:
  br label %51
51:
  %.0120 = phi i32 [ 0, %50 ], [ %74, %73 ]
  %52 = icmp slt i32 %.0120, %2
  br i1 %52, label %54, label %53
53:
  br label %75
54:
  %55 = mul nsw i32 %.0121, %2
  %56 = add nsw i32 %55, %.0120
  %57 = sext i32 %56 to i64
  %58 = getelementptr inbounds double, ptr %0, i64 %57
  %59 = load double, ptr %58, align 8
  %60 = mul nsw i32 %.0117, %2
  %61 = add nsw i32 %60, %.0120
  %62 = sext i32 %61 to i64
  %63 = getelementptr inbounds double, ptr %0, i64 %62
  %64 = load double, ptr %63, align 8
  %65 = mul nsw i32 %.0121, %2
  %66 = add nsw i32 %65, %.0120
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds double, ptr %0, i64 %67
  store double %64, ptr %68, align 8
  %69 = mul nsw i32 %.0117, %2
  %70 = add nsw i32 %69, %.0120
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds double, ptr %0, i64 %71
  store double %59, ptr %72, align 8
  br label %73
73:
  %74 = add nsw i32 %.0120, 1
  br label %51
75:
  %76 = sext i32 %.0121 to i64
  %77 = getelementptr inbounds double, ptr %1, i64 %76
  %78 = load double, ptr %77, align 8
  %79 = sext i32 %.0117 to i64
  %80 = getelementptr inbounds double, ptr %1, i64 %79
  %81 = load double, ptr %80, align 8
  %82 = sext i32 %.0121 to i64
  %83 = getelementptr inbounds double, ptr %1, i64 %82
  store double %81, ptr %83, align 8
  %84 = sext i32 %.0117 to i64
  %85 = getelementptr inbounds double, ptr %1, i64 %84
  store double %78, ptr %85, align 8
  br label %86
86:
  %87 = add nsw i32 %.0117, 1
  br label %88
88:
  %.0116 = phi i32 [ %87, %86 ], [ %131, %130 ]
  %89 = icmp slt i32 %.0116, %2
  br i1 %89, label %91, label %90
90:
  br label %132
91:
  %92 = mul nsw i32 %.0116, %2
  %93 = add nsw i32 %92, %.0117
  %94 = sext i32 %93 to i64
  %95 = getelementptr inbounds double, ptr %0, i64 %94
  %96 = load double, ptr %95, align 8
  %97 = mul nsw i32 %.0117, %2
  %98 = add nsw i32 %97, %.0117
  %99 = sext i32 %98 to i64
  %100 = getelementptr inbounds double, ptr %0, i64 %99
  %101 = load double, ptr %100, align 8
  %102 = fdiv double %96, %101
  br label %103
103:
  %.0114 = phi i32 [ %.0117, %91 ], [ %120, %119 ]
  %104 = icmp slt i32 %.0114, %2
  br i1 %104, label %106, label %105
105:
  br label %121
106:
  %107 = mul nsw i32 %.0117, %2
  %108 = add nsw i32 %107, %.0114
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds double, ptr %0, i64 %109
  %111 = load double, ptr %110, align 8
  %112 = mul nsw i32 %.0116, %2
  %113 = add nsw i32 %112, %.0114
  %114 = sext i32 %113 to i64
  %115 = getelementptr inbounds double, ptr %0, i64 %114
  %116 = load double, ptr %115, align 8
  %117 = fneg double %102
  %118 = call double @llvm.fmuladd.f64(double %117, double %111, double %116)
  store double %118, ptr %115, align 8
  br label %119
119:
  %120 = add nsw i32 %.0114, 1
  br label %103
121:
  %122 = sext i32 %.0117 to i64
  %123 = getelementptr inbounds double, ptr %1, i64 %122
  %124 = load double, ptr %123, align 8
  %125 = sext i32 %.0116 to i64
  %126 = getelementptr inbounds double, ptr %1, i64 %125
  %127 = load double, ptr %126, align 8
  %128 = fneg double %102
  %129 = call double @llvm.fmuladd.f64(double %128, double %124, double %127)
  store double %129, ptr %126, align 8
  br label %130
130:
  %131 = add nsw i32 %.0116, 1
  br label %88
132:
  br label %133
133:
  %.0118 = phi i32 [ 1, %47 ], [ 0, %132 ]
  %.1 = phi i32 [ 1, %47 ], [ %.0115, %132 ]
  switch i32 %.0118, label %137 [
    i32 0, label %134
  ]
134:
  br label %135
135:
  %136 = add nsw i32 %.0117, 1
  br label %4
137:
  %.1119 = phi i32 [ %.0118, %133 ], [ 2, %6 ]
  %.2 = phi i32 [ %.1, %133 ], [ %.0115, %6 ]
  switch i32 %.1119, label %175 [
    i32 2, label %138
    i32 1, label %174
  ]
138:
  br label %139
139:
  %.0113 = phi i32 [ %2, %138 ], [ %140, %164 ]
  %140 = add nsw i32 %.0113, -1
  %141 = icmp sgt i32 %.0113, 0
  br i1 %141, label %143, label %142
142:
  br label %173
143:
  %144 = sext i32 %140 to i64
  %145 = getelementptr inbounds double, ptr %1, i64 %144
  %146 = load double, ptr %145, align 8
  %147 = add nsw i32 %140, 1
  br label %148
148:
  %.0112 = phi double [ %146, %143 ], [ %161, %162 ]
  %.0 = phi i32 [ %147, %143 ], [ %163, %162 ]
  %149 = icmp slt i32 %.0, %2
  br i1 %149, label %151, label %150
150:
  br label %164
151:
  %152 = mul nsw i32 %140, %2
  %153 = add nsw i32 %152, %.0
  %154 = sext i32 %153 to i64
  %155 = getelementptr inbounds double, ptr %0, i64 %154
  %156 = load double, ptr %155, align 8
  %157 = sext i32 %.0 to i64
  %158 = getelementptr inbounds double, ptr %1, i64 %157
  %159 = load double, ptr %158, align 8
  %160 = fneg double %156
  %161 = call double @llvm.fmuladd.f64(double %160, double %159, double %.0112)
  br label %162
162:
  %163 = add nsw i32 %.0, 1
  br label %148
164:
  %165 = mul nsw i32 %140, %2
  %166 = add nsw i32 %165, %140
  %167 = sext i32 %166 to i64
  %168 = getelementptr inbounds double, ptr %0, i64 %167
  %169 = load double, ptr %168, align 8
  %170 = fdiv double %.0112, %169
  %171 = sext i32 %140 to i64
  %172 = getelementptr inbounds double, ptr %1, i64 %171
  store double %170, ptr %172, align 8
  br label %139
173:
  br label %174
174:
  %.3 = phi i32 [ %.2, %137 ], [ 0, %173 ]
  ret i32 %.3
175:
  unreachable
}
declare double @llvm.fmuladd.f64(double, double, double) #2
define dso_local void @blur(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3) #0 {
  br label %5
5:
  %.024 = phi i32 [ 1, %4 ], [ %48, %47 ]
  %6 = sub nsw i32 %3, 1
  %7 = icmp slt i32 %.024, %6
  br i1 %7, label %9, label %8
8:
  br label %49
9:
  br label %10
10:
  %.023 = phi i32 [ 1, %9 ], [ %45, %44 ]
  %11 = sub nsw i32 %2, 1
  %12 = icmp slt i32 %.023, %11
  br i1 %12, label %14, label %13
13:
  br label %46
14:
  br label %15
15:
  %.022 = phi i32 [ 0, %14 ], [ %.1, %35 ]
  %.021 = phi i32 [ -1, %14 ], [ %36, %35 ]
  %16 = icmp sle i32 %.021, 1
  br i1 %16, label %18, label %17
17:
  br label %37
18:
  br label %19
19:
  %.1 = phi i32 [ %.022, %18 ], [ %31, %32 ]
  %.0 = phi i32 [ -1, %18 ], [ %33, %32 ]
  %20 = icmp sle i32 %.0, 1
  br i1 %20, label %22, label %21
21:
  br label %34
22:
  %23 = add nsw i32 %.024, %.021
  %24 = mul nsw i32 %23, %2
  %25 = add nsw i32 %24, %.023
  %26 = add nsw i32 %25, %.0
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds i8, ptr %0, i64 %27
  %29 = load i8, ptr %28, align 1
  %30 = zext i8 %29 to i32
  %31 = add nsw i32 %.1, %30
  br label %32
32:
  %33 = add nsw i32 %.0, 1
  br label %19
34:
  br label %35
35:
  %36 = add nsw i32 %.021, 1
  br label %15
37:
  %38 = sdiv i32 %.022, 9
  %39 = trunc i32 %38 to i8
  %40 = mul nsw i32 %.024, %2
  %41 = add nsw i32 %40, %.023
  %42 = sext i32 %41 to i64
  %43 = getelementptr inbounds i8, ptr %1, i64 %42
  store i8 %39, ptr %43, align 1
  br label %44
44:
  %45 = add nsw i32 %.023, 1
  br label %10
46:
  br label %47
47:
  %48 = add nsw i32 %.024, 1
  br label %5
49:
  ret void
}
define dso_local void @compress(ptr noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca [64 x i32], align 16
  %5 = alloca [8 x i32], align 16
  call void @llvm.lifetime.start.p0(i64 256, ptr %4) #3
  br label %6
6:
  %.049 = phi i32 [ 0, %3 ], [ %42, %41 ]
  %7 = icmp slt i32 %.049, 16
  br i1 %7, label %9, label %8
8:
  br label %43
9:
  %10 = mul nsw i32 4, %.049
  %11 = sext i32 %10 to i64
  %12 = getelementptr inbounds i8, ptr %1, i64 %11
  %13 = load i8, ptr %12, align 1
  %14 = zext i8 %13 to i32
  %15 = shl i32 %14, 24
  %16 = mul nsw i32 4, %.049
  %17 = add nsw i32 %16, 1
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds i8, ptr %1, i64 %18
  %20 = load i8, ptr %19, align 1
  %21 = zext i8 %20 to i32
  %22 = shl i32 %21, 16
  %23 = or i32 %15, %22
  %24 = mul nsw i32 4, %.049
  %25 = add nsw i32 %24, 2
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds i8, ptr %1, i64 %26
  %28 = load i8, ptr %27, align 1
  %29 = zext i8 %28 to i32
  %30 = shl i32 %29, 8
  %31 = or i32 %23, %30
  %32 = mul nsw i32 4, %.049
  %33 = add nsw i32 %32, 3
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds i8, ptr %1, i64 %34
  %36 = load i8, ptr %35, align 1
  %37 = zext i8 %36 to i32
  %38 = or i32 %31, %37
  %39 = sext i32 %.049 to i64
  %40 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %39
  store i32 %38, ptr %40, align 4
  br label %41
41:
  %42 = add nsw i32 %.049, 1
  br label %6
43:
  br label %44
44:
  %.050 = phi i32 [ 16, %43 ], [ %96, %95 ]
  %45 = icmp slt i32 %.050, 64
  br i1 %45, label %47, label %46
46:
  br label %97
47:
  %48 = sub nsw i32 %.050, 15
  %49 = sext i32 %48 to i64
  %50 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %49
  %51 = load i32, ptr %50, align 4
  %52 = call i32 @rotr(i32 noundef %51, i32 noundef 7)
  %53 = sub nsw i32 %.050, 15
  %54 = sext i32 %53 to i64
  %55 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %54
  %56 = load i32, ptr %55, align 4
  %57 = call i32 @rotr(i32 noundef %56, i32 noundef 18)
  %58 = xor i32 %52, %57
  %59 = sub nsw i32 %.050, 15
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %60
  %62 = load i32, ptr %61, align 4
  %63 = lshr i32 %62, 3
  %64 = xor i32 %58, %63
  %65 = sub nsw i32 %.050, 2
  %66 = sext i32 %65 to i64
  %67 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %66
  %68 = load i32, ptr %67, align 4
  %69 = call i32 @rotr(i32 noundef %68, i32 noundef 17)
  %70 = sub nsw i32 %.050, 2
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %71
  %73 = load i32, ptr %72, align 4
  %74 = call i32 @rotr(i32 noundef %73, i32 noundef 19)
  %75 = xor i32 %69, %74
  %76 = sub nsw i32 %.050, 2
  %77 = sext i32 %76 to i64
  %78 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %77
  %79 = load i32, ptr %78, align 4
  %80 = lshr i32 %79, 10
  %81 = xor i32 %75, %80
  %82 = sub nsw i32 %.050, 16
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %83
  %85 = load i32, ptr %84, align 4
  %86 = add i32 %85, %64
  %87 = sub nsw i32 %.050, 7
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %88
  %90 = load i32, ptr %89, align 4
  %91 = add i32 %86, %90
  %92 = add i32 %91, %81
  %93 = sext i32 %.050 to i64
  %94 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %93
  store i32 %92, ptr %94, align 4
  br label %95
95:
  %96 = add nsw i32 %.050, 1
  br label %44
97:
  call void @llvm.lifetime.start.p0(i64 32, ptr %5) #3
  br label %98
98:
  %.051 = phi i32 [ 0, %97 ], [ %108, %107 ]
  %99 = icmp slt i32 %.051, 8
  br i1 %99, label %101, label %100
100:
  br label %109
101:
  %102 = sext i32 %.051 to i64
  %103 = getelementptr inbounds i32, ptr %0, i64 %102
  %104 = load i32, ptr %103, align 4
  %105 = sext i32 %.051 to i64
  %106 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 %105
  store i32 %104, ptr %106, align 4
  br label %107
107:
  %108 = add nsw i32 %.051, 1
  br label %98
109:
  br label %110
110:
  %.052 = phi i32 [ 0, %109 ], [ %197, %196 ]
  %111 = icmp slt i32 %.052, 64
  br i1 %111, label %113, label %112
112:
  br label %198
113:
  %114 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 4
  %115 = load i32, ptr %114, align 16
  %116 = call i32 @rotr(i32 noundef %115, i32 noundef 6)
  %117 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 4
  %118 = load i32, ptr %117, align 16
  %119 = call i32 @rotr(i32 noundef %118, i32 noundef 11)
  %120 = xor i32 %116, %119
  %121 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 4
  %122 = load i32, ptr %121, align 16
  %123 = call i32 @rotr(i32 noundef %122, i32 noundef 25)
  %124 = xor i32 %120, %123
  %125 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 4
  %126 = load i32, ptr %125, align 16
  %127 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 5
  %128 = load i32, ptr %127, align 4
  %129 = and i32 %126, %128
  %130 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 4
  %131 = load i32, ptr %130, align 16
  %132 = xor i32 %131, -1
  %133 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 6
  %134 = load i32, ptr %133, align 8
  %135 = and i32 %132, %134
  %136 = xor i32 %129, %135
  %137 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 7
  %138 = load i32, ptr %137, align 4
  %139 = add i32 %138, %124
  %140 = add i32 %139, %136
  %141 = sext i32 %.052 to i64
  %142 = getelementptr inbounds i32, ptr %2, i64 %141
  %143 = load i32, ptr %142, align 4
  %144 = add i32 %140, %143
  %145 = sext i32 %.052 to i64
  %146 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %145
  %147 = load i32, ptr %146, align 4
  %148 = add i32 %144, %147
  %149 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 0
  %150 = load i32, ptr %149, align 16
  %151 = call i32 @rotr(i32 noundef %150, i32 noundef 2)
  %152 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 0
  %153 = load i32, ptr %152, align 16
  %154 = call i32 @rotr(i32 noundef %153, i32 noundef 13)
  %155 = xor i32 %151, %154
  %156 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 0
  %157 = load i32, ptr %156, align 16
  %158 = call i32 @rotr(i32 noundef %157, i32 noundef 22)
  %159 = xor i32 %155, %158
  %160 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 0
  %161 = load i32, ptr %160, align 16
  %162 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 1
  %163 = load i32, ptr %162, align 4
  %164 = and i32 %161, %163
  %165 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 0
  %166 = load i32, ptr %165, align 16
  %167 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 2
  %168 = load i32, ptr %167, align 8
  %169 = and i32 %166, %168
  %170 = xor i32 %164, %169
  %171 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 1
  %172 = load i32, ptr %171, align 4
  %173 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 2
  %174 = load i32, ptr %173, align 8
  %175 = and i32 %172, %174
  %176 = xor i32 %170, %175
  br label %177
177:
  %.048 = phi i32 [ 7, %113 ], [ %188, %187 ]
  %178 = icmp sgt i32 %.048, 0
  br i1 %178, label %180, label %179
179:
  br label %189
180:
  %181 = sub nsw i32 %.048, 1
  %182 = sext i32 %181 to i64
  %183 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 %182
  %184 = load i32, ptr %183, align 4
  %185 = sext i32 %.048 to i64
  %186 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 %185
  store i32 %184, ptr %186, align 4
  br label %187
187:
  %188 = add nsw i32 %.048, -1
  br label %177
189:
  %190 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 4
  %191 = load i32, ptr %190, align 16
  %192 = add i32 %191, %148
  store i32 %192, ptr %190, align 16
  %193 = add i32 %148, %159
  %194 = add i32 %193, %176
  %195 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 0
  store i32 %194, ptr %195, align 16
  br label %196
196:
  %197 = add nsw i32 %.052, 1
  br label %110
198:
  br label %199
199:
  %.0 = phi i32 [ 0, %198 ], [ %211, %210 ]
  %200 = icmp slt i32 %.0, 8
  br i1 %200, label %202, label %201
201:
  br label %212
202:
  %203 = sext i32 %.0 to i64
  %204 = getelementptr inbounds [8 x i32], ptr %5, i64 0, i64 %203
  %205 = load i32, ptr %204, align 4
  %206 = sext i32 %.0 to i64
  %207 = getelementptr inbounds i32, ptr %0, i64 %206
  %208 = load i32, ptr %207, align 4
  %209 = add i32 %208, %205
  store i32 %209, ptr %207, align 4
  br label %210
210:
  %211 = add nsw i32 %.0, 1
  br label %199
212:
  call void @llvm.lifetime.end.p0(i64 32, ptr %5) #3
  call void @llvm.lifetime.end.p0(i64 256, ptr %4) #3
  ret void
}
define internal i32 @rotr(i32 noundef %0, i32 noundef %1) #0 {
  %3 = lshr i32 %0, %1
  %4 = sub nsw i32 32, %1
  %5 = shl i32 %0, %4
  %6 = or i32 %3, %5
  ret i32 %6
}
define dso_local i32 @unpack(ptr noundef %0, i32 noundef %1, ptr noundef %2, i32 noundef %3) #0 {
  br label %5
5:
  %.070 = phi i32 [ 0, %4 ], [ %.9, %114 ]
  %.063 = phi i32 [ 0, %4 ], [ %.467, %114 ]
  %.062 = phi i32 [ undef, %4 ], [ %.6, %114 ]
  %6 = icmp slt i32 %.070, %1
  br i1 %6, label %8, label %7
7:
  br label %115
8:
  %9 = add nsw i32 %.070, 1
  %10 = sext i32 %.070 to i64
  %11 = getelementptr inbounds i8, ptr %0, i64 %10
  %12 = load i8, ptr %11, align 1
  %13 = zext i8 %12 to i32
  %14 = ashr i32 %13, 4
  %15 = zext i8 %12 to i32
  %16 = and i32 %15, 15
  %17 = icmp eq i32 %14, 15
  br i1 %17, label %18, label %35
18:
  br label %19
19:
  %.082 = phi i32 [ %14, %18 ], [ %28, %29 ]
  %.171 = phi i32 [ %9, %18 ], [ %23, %29 ]
  %20 = icmp sge i32 %.171, %1
  br i1 %20, label %21, label %22
21:
  br label %33
22:
  %23 = add nsw i32 %.171, 1
  %24 = sext i32 %.171 to i64
  %25 = getelementptr inbounds i8, ptr %0, i64 %24
  %26 = load i8, ptr %25, align 1
  %27 = zext i8 %26 to i32
  %28 = add nsw i32 %.082, %27
  br label %29
29:
  %30 = zext i8 %26 to i32
  %31 = icmp eq i32 %30, 255
  br i1 %31, label %19, label %32
32:
  br label %33
33:
  %.085 = phi i32 [ 1, %21 ], [ 0, %32 ]
  %.183 = phi i32 [ %.082, %21 ], [ %28, %32 ]
  %.272 = phi i32 [ %.171, %21 ], [ %23, %32 ]
  %.1 = phi i32 [ -1, %21 ], [ %.062, %32 ]
  switch i32 %.085, label %113 [
    i32 0, label %34
  ]
34:
  br label %35
35:
  %.284 = phi i32 [ %.183, %34 ], [ %14, %8 ]
  %.373 = phi i32 [ %.272, %34 ], [ %9, %8 ]
  %.2 = phi i32 [ %.1, %34 ], [ %.062, %8 ]
  %36 = add nsw i32 %.373, %.284
  %37 = icmp sgt i32 %36, %1
  br i1 %37, label %41, label %38
38:
  %39 = add nsw i32 %.063, %.284
  %40 = icmp sgt i32 %39, %3
  br i1 %40, label %41, label %42
41:
  br label %113
42:
  br label %43
43:
  %.474 = phi i32 [ %.373, %42 ], [ %47, %54 ]
  %.069 = phi i32 [ 0, %42 ], [ %55, %54 ]
  %.164 = phi i32 [ %.063, %42 ], [ %51, %54 ]
  %44 = icmp slt i32 %.069, %.284
  br i1 %44, label %46, label %45
45:
  br label %56
46:
  %47 = add nsw i32 %.474, 1
  %48 = sext i32 %.474 to i64
  %49 = getelementptr inbounds i8, ptr %0, i64 %48
  %50 = load i8, ptr %49, align 1
  %51 = add nsw i32 %.164, 1
  %52 = sext i32 %.164 to i64
  %53 = getelementptr inbounds i8, ptr %2, i64 %52
  store i8 %50, ptr %53, align 1
  br label %54
54:
  %55 = add nsw i32 %.069, 1
  br label %43
56:
  %57 = icmp sge i32 %.474, %1
  br i1 %57, label %58, label %59
58:
  br label %113
59:
  %60 = sext i32 %.474 to i64
  %61 = getelementptr inbounds i8, ptr %0, i64 %60
  %62 = load i8, ptr %61, align 1
  %63 = zext i8 %62 to i32
  %64 = add nsw i32 %.474, 1
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds i8, ptr %0, i64 %65
  %67 = load i8, ptr %66, align 1
  %68 = zext i8 %67 to i32
  %69 = shl i32 %68, 8
  %70 = or i32 %63, %69
  %71 = add nsw i32 %.474, 2
  %72 = icmp eq i32 %16, 15
  br i1 %72, label %73, label %90
73:
  br label %74
74:
  %.079 = phi i32 [ %16, %73 ], [ %83, %84 ]
  %.575 = phi i32 [ %71, %73 ], [ %78, %84 ]
  %75 = icmp sge i32 %.575, %1
  br i1 %75, label %76, label %77
76:
  br label %88
77:
  %78 = add nsw i32 %.575, 1
  %79 = sext i32 %.575 to i64
  %80 = getelementptr inbounds i8, ptr %0, i64 %79
  %81 = load i8, ptr %80, align 1
  %82 = zext i8 %81 to i32
  %83 = add nsw i32 %.079, %82
  br label %84
84:
  %85 = zext i8 %81 to i32
  %86 = icmp eq i32 %85, 255
  br i1 %86, label %74, label %87
87:
  br label %88
88:
  %.186 = phi i32 [ 1, %76 ], [ 0, %87 ]
  %.180 = phi i32 [ %.079, %76 ], [ %83, %87 ]
  %.676 = phi i32 [ %.575, %76 ], [ %78, %87 ]
  %.3 = phi i32 [ -1, %76 ], [ %.2, %87 ]
  switch i32 %.186, label %112 [
    i32 0, label %89
  ]
89:
  br label %90
90:
  %.281 = phi i32 [ %.180, %89 ], [ %16, %59 ]
  %.777 = phi i32 [ %.676, %89 ], [ %71, %59 ]
  %.4 = phi i32 [ %.3, %89 ], [ %.2, %59 ]
  %91 = add nsw i32 %.281, 4
  %92 = icmp sgt i32 %70, %.164
  br i1 %92, label %96, label %93
93:
  %94 = add nsw i32 %.164, %91
  %95 = icmp sgt i32 %94, %3
  br i1 %95, label %96, label %97
96:
  br label %112
97:
  br label %98
98:
  %.265 = phi i32 [ %.164, %97 ], [ %110, %108 ]
  %.0 = phi i32 [ 0, %97 ], [ %109, %108 ]
  %99 = icmp slt i32 %.0, %91
  br i1 %99, label %101, label %100
100:
  br label %111
101:
  %102 = sub nsw i32 %.265, %70
  %103 = sext i32 %102 to i64
  %104 = getelementptr inbounds i8, ptr %2, i64 %103
  %105 = load i8, ptr %104, align 1
  %106 = sext i32 %.265 to i64
  %107 = getelementptr inbounds i8, ptr %2, i64 %106
  store i8 %105, ptr %107, align 1
  br label %108
108:
  %109 = add nsw i32 %.0, 1
  %110 = add nsw i32 %.265, 1
  br label %98
111:
  br label %112
112:
  %.287 = phi i32 [ %.186, %88 ], [ 1, %96 ], [ 0, %111 ]
  %.878 = phi i32 [ %.676, %88 ], [ %.777, %96 ], [ %.777, %111 ]
  %.366 = phi i32 [ %.164, %88 ], [ %.164, %96 ], [ %.265, %111 ]
  %.5 = phi i32 [ %.3, %88 ], [ -1, %96 ], [ %.4, %111 ]
  br label %113
113:
  %.388 = phi i32 [ %.085, %33 ], [ 1, %41 ], [ 2, %58 ], [ %.287, %112 ]
  %.9 = phi i32 [ %.272, %33 ], [ %.373, %41 ], [ %.474, %58 ], [ %.878, %112 ]
  %.467 = phi i32 [ %.063, %33 ], [ %.063, %41 ], [ %.164, %58 ], [ %.366, %112 ]
  %.6 = phi i32 [ %.1, %33 ], [ -1, %41 ], [ %.2, %58 ], [ %.5, %112 ]
  switch i32 %.388, label %115 [
    i32 0, label %114
  ]
114:
  br label %5
115:
  %.489 = phi i32 [ %.388, %113 ], [ 2, %7 ]
  %.568 = phi i32 [ %.467, %113 ], [ %.063, %7 ]
  %.7 = phi i32 [ %.6, %113 ], [ %.062, %7 ]
  switch i32 %.489, label %117 [
    i32 2, label %116
  ]
116:
  br label %117
117:
  %.8 = phi i32 [ %.7, %115 ], [ %.568, %116 ]
  ret i32 %.8
}
define dso_local i64 @parse(ptr noundef %0) #0 {
  %2 = call i64 @term(ptr noundef %0)
  br label %3
3:
  %.0 = phi i64 [ %2, %1 ], [ %.1, %34 ]
  br label %4
4:
  %5 = load ptr, ptr %0, align 8
  %6 = load i8, ptr %5, align 1
  %7 = sext i8 %6 to i32
  %8 = icmp eq i32 %7, 32
  br i1 %8, label %9, label %12
9:
  %10 = load ptr, ptr %0, align 8
  %11 = getelementptr inbounds i8, ptr %10, i32 1
  store ptr %11, ptr %0, align 8
  br label %4
12:
  %13 = load ptr, ptr %0, align 8
  %14 = load i8, ptr %13, align 1
  %15 = sext i8 %14 to i32
  %16 = icmp eq i32 %15, 43
  br i1 %16, label %17, label %22
17:
  %18 = load ptr, ptr %0, align 8
  %19 = getelementptr inbounds i8, ptr %18, i32 1
  store ptr %19, ptr %0, align 8
  %20 = call i64 @term(ptr noundef %0)
  %21 = add nsw i64 %.0, %20
  br label %34
22:
  %23 = load ptr, ptr %0, align 8
  %24 = load i8, ptr %23, align 1
  %25 = sext i8 %24 to i32
  %26 = icmp eq i32 %25, 45
  br i1 %26, label %27, label %32
27:
  %28 = load ptr, ptr %0, align 8
  %29 = getelementptr inbounds i8, ptr %28, i32 1
  store ptr %29, ptr %0, align 8
  %30 = call i64 @term(ptr noundef %0)
  %31 = sub nsw i64 %.0, %30
  br label %33
32:
  ret i64 %.0
33:
  br label %34
34:
  %.1 = phi i64 [ %21, %17 ], [ %31, %33 ]
  br label %3
}
define internal i64 @term(ptr noundef %0) #0 {
  %2 = call i64 @factor(ptr noundef %0)
  br label %3
3:
  %.0 = phi i64 [ %2, %1 ], [ %.1, %39 ]
  br label %4
4:
  %5 = load ptr, ptr %0, align 8
  %6 = load i8, ptr %5, align 1
  %7 = sext i8 %6 to i32
  %8 = icmp eq i32 %7, 32
  br i1 %8, label %9, label %12
9:
  %10 = load ptr, ptr %0, align 8
  %11 = getelementptr inbounds i8, ptr %10, i32 1
  store ptr %11, ptr %0, align 8
  br label %4
12:
  %13 = load ptr, ptr %0, align 8
  %14 = load i8, ptr %13, align 1
  %15 = sext i8 %14 to i32
  %16 = icmp eq i32 %15, 42
  br i1 %16, label %17, label %22
17:
  %18 = load ptr, ptr %0, align 8
  %19 = getelementptr inbounds i8, ptr %18, i32 1
  store ptr %19, ptr %0, align 8
  %20 = call i64 @factor(ptr noundef %0)
  %21 = mul nsw i64 %.0, %20
  br label %39
22:
  %23 = load ptr, ptr %0, align 8
  %24 = load i8, ptr %23, align 1
  %25 = sext i8 %24 to i32
  %26 = icmp eq i32 %25, 47
  br i1 %26, label %27, label %37
27:
  %28 = load ptr, ptr %0, align 8
  %29 = getelementptr inbounds i8, ptr %28, i32 1
  store ptr %29, ptr %0, align 8
  %30 = call i64 @factor(ptr noundef %0)
  %31 = icmp ne i64 %30, 0
  br i1 %31, label %32, label %34
32:
  %33 = sdiv i64 %.0, %30
  br label %35
34:
  br label %35
35:
  %36 = phi i64 [ %33, %32 ], [ 0, %34 ]
  br label %38
37:
  ret i64 %.0
38:
  br label %39
39:
  %.1 = phi i64 [ %21, %17 ], [ %36, %38 ]
  br label %3
}
define dso_local i64 @execute(ptr noundef %0, ptr noundef %1, i64 noundef %2) #0 {
  br label %4
4:
  %.062 = phi i32 [ 0, %3 ], [ %.2, %138 ]
  %.061 = phi i64 [ 0, %3 ], [ %139, %138 ]
  %.058 = phi ptr [ %1, %3 ], [ %.159, %138 ]
  %5 = icmp slt i64 %.061, %2
  br i1 %5, label %7, label %6
6:
  br label %140
7:
  %8 = add nsw i32 %.062, 1
  %9 = sext i32 %.062 to i64
  %10 = getelementptr inbounds i8, ptr %0, i64 %9
  %11 = load i8, ptr %10, align 1
  %12 = zext i8 %11 to i32
  switch i32 %12, label %136 [
    i32 0, label %13
    i32 1, label %21
    i32 2, label %28
    i32 3, label %35
    i32 4, label %42
    i32 5, label %49
    i32 6, label %64
    i32 7, label %69
    i32 8, label %76
    i32 9, label %78
    i32 10, label %89
    i32 11, label %94
    i32 12, label %104
    i32 13, label %114
    i32 14, label %121
    i32 15, label %128
  ]
13:
  %14 = icmp ugt ptr %.058, %1
  br i1 %14, label %15, label %18
15:
  %16 = getelementptr inbounds i64, ptr %.058, i64 -1
  %17 = load i64, ptr %16, align 8
  br label %19
18:
  br label %19
19:
  %20 = phi i64 [ %17, %15 ], [ 0, %18 ]
  br label %140
21:
  %22 = add nsw i32 %8, 1
  %23 = sext i32 %8 to i64
  %24 = getelementptr inbounds i8, ptr %0, i64 %23
  %25 = load i8, ptr %24, align 1
  %26 = zext i8 %25 to i64
  %27 = getelementptr inbounds i64, ptr %.058, i32 1
  store i64 %26, ptr %.058, align 8
  br label %137
28:
  %29 = getelementptr inbounds i64, ptr %.058, i32 -1
  %30 = getelementptr inbounds i64, ptr %29, i64 0
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds i64, ptr %29, i64 -1
  %33 = load i64, ptr %32, align 8
  %34 = add nsw i64 %33, %31
  store i64 %34, ptr %32, align 8
  br label %137
35:
  %36 = getelementptr inbounds i64, ptr %.058, i32 -1
  %37 = getelementptr inbounds i64, ptr %36, i64 0
  %38 = load i64, ptr %37, align 8
  %39 = getelementptr inbounds i64, ptr %36, i64 -1
  %40 = load i64, ptr %39, align 8
  %41 = sub nsw i64 %40, %38
  store i64 %41, ptr %39, align 8
  br label %137
42:
  %43 = getelementptr inbounds i64, ptr %.058, i32 -1
  %44 = getelementptr inbounds i64, ptr %43, i64 0
  %45 = load i64, ptr %44, align 8
  %46 = getelementptr inbounds i64, ptr %43, i64 -1
  %47 = load i64, ptr %46, align 8
  %48 = mul nsw i64 %47, %45
  store i64 %48, ptr %46, align 8
  br label %137
49:
  %50 = getelementptr inbounds i64, ptr %.058, i32 -1
  %51 = getelementptr inbounds i64, ptr %50, i64 0
  %52 = load i64, ptr %51, align 8
  %53 = icmp ne i64 %52, 0
  br i1 %53, label %54, label %60
54:
  %55 = getelementptr inbounds i64, ptr %50, i64 -1
  %56 = load i64, ptr %55, align 8
  %57 = getelementptr inbounds i64, ptr %50, i64 0
  %58 = load i64, ptr %57, align 8
  %59 = sdiv i64 %56, %58
  br label %61
60:
  br label %61
61:
  %62 = phi i64 [ %59, %54 ], [ 0, %60 ]
  %63 = getelementptr inbounds i64, ptr %50, i64 -1
  store i64 %62, ptr %63, align 8
  br label %137
64:
  %65 = getelementptr inbounds i64, ptr %.058, i64 -1
  %66 = load i64, ptr %65, align 8
  %67 = getelementptr inbounds i64, ptr %.058, i64 0
  store i64 %66, ptr %67, align 8
  %68 = getelementptr inbounds i64, ptr %.058, i32 1
  br label %137
69:
  %70 = getelementptr inbounds i64, ptr %.058, i64 -1
  %71 = load i64, ptr %70, align 8
  %72 = getelementptr inbounds i64, ptr %.058, i64 -2
  %73 = load i64, ptr %72, align 8
  %74 = getelementptr inbounds i64, ptr %.058, i64 -1
  store i64 %73, ptr %74, align 8
  %75 = getelementptr inbounds i64, ptr %.058, i64 -2
  store i64 %71, ptr %75, align 8
  br label %137
76:
  %77 = getelementptr inbounds i64, ptr %.058, i32 -1
  br label %137
78:
  %79 = add nsw i32 %8, 1
  %80 = sext i32 %8 to i64
  %81 = getelementptr inbounds i8, ptr %0, i64 %80
  %82 = load i8, ptr %81, align 1
  %83 = zext i8 %82 to i32
  %84 = getelementptr inbounds i64, ptr %.058, i32 -1
  %85 = load i64, ptr %84, align 8
  %86 = icmp ne i64 %85, 0
  br i1 %86, label %87, label %88
87:
  br label %88
88:
  %.163 = phi i32 [ %83, %87 ], [ %79, %78 ]
  br label %137
89:
  %90 = sext i32 %8 to i64
  %91 = getelementptr inbounds i8, ptr %0, i64 %90
  %92 = load i8, ptr %91, align 1
  %93 = zext i8 %92 to i32
  br label %137
94:
  %95 = getelementptr inbounds i64, ptr %.058, i32 -1
  %96 = getelementptr inbounds i64, ptr %95, i64 -1
  %97 = load i64, ptr %96, align 8
  %98 = getelementptr inbounds i64, ptr %95, i64 0
  %99 = load i64, ptr %98, align 8
  %100 = icmp slt i64 %97, %99
  %101 = zext i1 %100 to i32
  %102 = sext i32 %101 to i64
  %103 = getelementptr inbounds i64, ptr %95, i64 -1
  store i64 %102, ptr %103, align 8
  br label %137
104:
  %105 = getelementptr inbounds i64, ptr %.058, i32 -1
  %106 = getelementptr inbounds i64, ptr %105, i64 -1
  %107 = load i64, ptr %106, align 8
  %108 = getelementptr inbounds i64, ptr %105, i64 0
  %109 = load i64, ptr %108, align 8
  %110 = icmp eq i64 %107, %109
  %111 = zext i1 %110 to i32
  %112 = sext i32 %111 to i64
  %113 = getelementptr inbounds i64, ptr %105, i64 -1
  store i64 %112, ptr %113, align 8
  br label %137
114:
  %115 = getelementptr inbounds i64, ptr %.058, i32 -1
  %116 = getelementptr inbounds i64, ptr %115, i64 0
  %117 = load i64, ptr %116, align 8
  %118 = getelementptr inbounds i64, ptr %115, i64 -1
  %119 = load i64, ptr %118, align 8
  %120 = and i64 %119, %117
  store i64 %120, ptr %118, align 8
  br label %137
121:
  %122 = getelementptr inbounds i64, ptr %.058, i32 -1
  %123 = getelementptr inbounds i64, ptr %122, i64 0
  %124 = load i64, ptr %123, align 8
  %125 = getelementptr inbounds i64, ptr %122, i64 -1
  %126 = load i64, ptr %125, align 8
  %127 = or i64 %126, %124
  store i64 %127, ptr %125, align 8
  br label %137
128:
  %129 = getelementptr inbounds i64, ptr %.058, i64 -1
  %130 = load i64, ptr %129, align 8
  %131 = icmp ne i64 %130, 0
  %132 = xor i1 %131, true
  %133 = zext i1 %132 to i32
  %134 = sext i32 %133 to i64
  %135 = getelementptr inbounds i64, ptr %.058, i64 -1
  store i64 %134, ptr %135, align 8
  br label %137
136:
  br label %140
137:
  %.2 = phi i32 [ %8, %128 ], [ %8, %121 ], [ %8, %114 ], [ %8, %104 ], [ %8, %94 ], [ %93, %89 ], [ %.163, %88 ], [ %8, %76 ], [ %8, %69 ], [ %8, %64 ], [ %8, %61 ], [ %8, %42 ], [ %8, %35 ], [ %8, %28 ], [ %22, %21 ]
  %.159 = phi ptr [ %.058, %128 ], [ %122, %121 ], [ %115, %114 ], [ %105, %104 ], [ %95, %94 ], [ %.058, %89 ], [ %84, %88 ], [ %77, %76 ], [ %.058, %69 ], [ %68, %64 ], [ %50, %61 ], [ %43, %42 ], [ %36, %35 ], [ %29, %28 ], [ %27, %21 ]
  br label %138
138:
  %139 = add nsw i64 %.061, 1
  br label %4
140:
  %.060 = phi i32 [ 1, %136 ], [ 1, %19 ], [ 2, %6 ]
  %.0 = phi i64 [ -1, %136 ], [ %20, %19 ], [ undef, %6 ]
  switch i32 %.060, label %142 [
    i32 2, label %141
  ]
141:
  br label %142
142:
  %.1 = phi i64 [ %.0, %140 ], [ -2, %141 ]
  ret i64 %.1
}
define internal i64 @factor(ptr noundef %0) #0 {
  br label %2
2:
  %3 = load ptr, ptr %0, align 8
  %4 = load i8, ptr %3, align 1
  %5 = sext i8 %4 to i32
  %6 = icmp eq i32 %5, 32
  br i1 %6, label %7, label %10
7:
  %8 = load ptr, ptr %0, align 8
  %9 = getelementptr inbounds i8, ptr %8, i32 1
  store ptr %9, ptr %0, align 8
  br label %2
10:
  %11 = load ptr, ptr %0, align 8
  %12 = load i8, ptr %11, align 1
  %13 = sext i8 %12 to i32
  %14 = icmp eq i32 %13, 45
  br i1 %14, label %15, label %20
15:
  %16 = load ptr, ptr %0, align 8
  %17 = getelementptr inbounds i8, ptr %16, i32 1
  store ptr %17, ptr %0, align 8
  %18 = call i64 @factor(ptr noundef %0)
  %19 = sub nsw i64 0, %18
  br label %60
20:
  %21 = load ptr, ptr %0, align 8
  %22 = load i8, ptr %21, align 1
  %23 = sext i8 %22 to i32
  %24 = icmp eq i32 %23, 40
  br i1 %24, label %25, label %37
25:
  %26 = load ptr, ptr %0, align 8
  %27 = getelementptr inbounds i8, ptr %26, i32 1
  store ptr %27, ptr %0, align 8
  %28 = call i64 @parse(ptr noundef %0)
  %29 = load ptr, ptr %0, align 8
  %30 = load i8, ptr %29, align 1
  %31 = sext i8 %30 to i32
  %32 = icmp eq i32 %31, 41
  br i1 %32, label %33, label %36
33:
  %34 = load ptr, ptr %0, align 8
  %35 = getelementptr inbounds i8, ptr %34, i32 1
  store ptr %35, ptr %0, align 8
  br label %36
36:
  br label %60
37:
  br label %38
38:
  %.0 = phi i64 [ 0, %37 ], [ %58, %50 ]
  %39 = load ptr, ptr %0, align 8
  %40 = load i8, ptr %39, align 1
  %41 = sext i8 %40 to i32
  %42 = icmp sge i32 %41, 48
  br i1 %42, label %43, label %48
43:
  %44 = load ptr, ptr %0, align 8
  %45 = load i8, ptr %44, align 1
  %46 = sext i8 %45 to i32
  %47 = icmp sle i32 %46, 57
  br label %48
48:
  %49 = phi i1 [ false, %38 ], [ %47, %43 ]
  br i1 %49, label %50, label %59
50:
  %51 = mul nsw i64 %.0, 10
  %52 = load ptr, ptr %0, align 8
  %53 = getelementptr inbounds i8, ptr %52, i32 1
  store ptr %53, ptr %0, align 8
  %54 = load i8, ptr %52, align 1
  %55 = sext i8 %54 to i32
  %56 = sub nsw i32 %55, 48
  %57 = sext i32 %56 to i64
  %58 = add nsw i64 %51, %57
  br label %38
59:
  br label %60
60:
  %.016 = phi i64 [ %19, %15 ], [ %28, %36 ], [ %.0, %59 ]
  ret i64 %.016
}
attributes #0 = { nounwind uwtable  }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind }
)LLVM";

}  // namespace sinter::backends
